import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { migrations } from '@hitherto/postgres/migrations';
import { root } from '@hitherto/testing/machine';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';

// What releases have written, which `npm run freeze` keeps: each later version reads it.

/** Has a folder for each release. */
export const RELEASES_FOLDER = join(root, 'apps/hitherto/test/releases');
export const RELEASES = readdirSync(RELEASES_FOLDER).filter((name) => /^\d/.test(name));

/** Of the installation that was kept: the key that its secrets are sealed with, and how its owner signs in. */
const SECRET_KEY = 'the key of the installation of a release, for tests';
export const OWNER = { email: 'owner@example.com', name: 'Ægir', password: 'a password of a release' };
/** Its hits are kept, however old they become. */
export const SETTINGS = { SECRET_KEY, HITS_RETENTION_DAYS: '3650' };

type Released = Readonly<Record<string, unknown>>;

/** The document in a file that `npm run freeze` has written. */
export function readReleased(version: string, name: string): Released {
  const bytes = readFileSync(join(RELEASES_FOLDER, version, name));
  return JSON.parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
}

/** The statements of these migrations. */
export async function statementsOf(names: readonly string[]): Promise<string> {
  const statements: string[] = [];
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (each) => new PostgresIntrospector(each),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql.trim()),
  });
  for (const name of names) await migrations[name]?.up(db);
  return `${statements.join(';\n\n')};\n`;
}
