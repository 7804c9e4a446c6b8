import type { SecretRepository } from '@hitherto/domain';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';

const findSecret = statement(
  'find_secret',
  (p: Placeholders<{ purpose: string }>) => sql<{ secret: Buffer }>`
    select secret from secret where purpose = ${p('purpose')}`,
);

const insertSecret = statement(
  'insert_secret',
  (p: Placeholders<{ purpose: string; fresh: Buffer }>) => sql`
    insert into secret (purpose, secret) values (${p('purpose')}, ${p('fresh')}) on conflict do nothing`,
);

/** Stores secrets in PostgreSQL. A secret never changes, so each is read once. */
export function createSecretRepository(database: Database): SecretRepository {
  const known = new Map<string, Uint8Array>();
  const find = async (purpose: string) => (await database.read(findSecret.with({ purpose })))[0]?.secret;

  return {
    async secretOf(purpose, fresh) {
      let secret = known.get(purpose) ?? (await find(purpose));
      if (secret === undefined) {
        await database.query(insertSecret.with({ purpose, fresh: Buffer.from(fresh) }));
        secret = await find(purpose);
      }
      if (secret === undefined) throw new Error('A secret that was inserted is not there.');
      known.set(purpose, secret);
      return new Uint8Array(secret);
    },
  };
}
