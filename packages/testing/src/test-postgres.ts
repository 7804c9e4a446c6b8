import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, startEmbeddedPostgres } from '@hitherto/embedded-postgres';
import { createDatabase, urlOf } from './databases.ts';

const PREFIX = 'hitherto-test-';

/**
 * A test's database does not outlive the test, so nothing has to reach the disk. The planner knows only what a test or the
 * service analyses, so plans do not depend on how long a test takes.
 */
const THROW_AWAY = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  max_connections: '200',
};

/**
 * A throwaway server for tests, in a temporary folder and without durability; or the server that TEST_DATABASE_URL names.
 * Removes the folders of killed test runs first.
 */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };

  await removeLeftOvers();
  const dataDir = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: THROW_AWAY });
  return {
    url: urlOf(server.connection),
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A server as above, with a migrated database of this name that others are cloned from. */
export async function startWithTemplate(
  name: string,
  migrate: (url: string) => Promise<void>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = await startTestPostgres();
  const template = await createDatabase(server.url, { name });
  await migrate(template.url);
  return {
    url: server.url,
    async stop() {
      await template.drop();
      await server.stop();
    },
  };
}

async function removeLeftOvers(): Promise<void> {
  for (const entry of await readdir(tmpdir())) {
    const pid = entry.startsWith(PREFIX) ? Number.parseInt(entry.slice(PREFIX.length), 10) : Number.NaN;
    if (!(pid > 0) || isAlive(pid)) continue;
    const folder = join(tmpdir(), entry);
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isDirectory() && found.uid === process.getuid?.()) await rm(folder, { recursive: true, force: true });
  }
}
