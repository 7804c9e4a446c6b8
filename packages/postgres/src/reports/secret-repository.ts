import type { SecretRepository } from '@hitherto/domain/reports';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';

type SecretTable = 'secret' | 'local_secret';

const findSecret = (table: SecretTable) =>
  statement(
    `find_${table}`,
    (p: Placeholders<{ purpose: string }>) => sql<{ secret: Buffer }>`
      select secret from ${sql.table(table)} where purpose = ${p('purpose')}`,
  );

const insertSecret = (table: SecretTable) =>
  statement(
    `insert_${table}`,
    (p: Placeholders<{ purpose: string; fresh: Buffer }>) => sql`
      insert into ${sql.table(table)} (purpose, secret) values (${p('purpose')}, ${p('fresh')}) on conflict do nothing`,
  );

/** Stores secrets in a table of PostgreSQL. A secret never changes, so each is read once. */
export function createSecretRepository(database: Database, table: SecretTable): SecretRepository {
  const [finding, inserting] = [findSecret(table), insertSecret(table)];
  const known = new Map<string, Uint8Array>();
  const find = async (purpose: string) => (await database.read(finding.with({ purpose })))[0]?.secret;

  return {
    async secretOf(purpose, fresh) {
      let secret = known.get(purpose) ?? (await find(purpose));
      if (secret === undefined) {
        await database.query(inserting.with({ purpose, fresh: Buffer.from(fresh) }));
        secret = await find(purpose);
      }
      if (secret === undefined) throw new Error('A secret that was inserted is not there.');
      known.set(purpose, secret);
      return new Uint8Array(secret);
    },
  };
}
