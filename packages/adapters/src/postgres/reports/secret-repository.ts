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

/** Keeps secrets in PostgreSQL. */
export function createSecretRepository(database: Database): SecretRepository {
  return {
    async secretOf(purpose, fresh) {
      const [known] = await database.read(findSecret.with({ purpose }));
      if (known !== undefined) return new Uint8Array(known.secret);
      await database.query(insertSecret.with({ purpose, fresh: Buffer.from(fresh) }));
      const [row] = await database.read(findSecret.with({ purpose }));
      if (row === undefined) throw new Error('A secret that was inserted is not there.');
      return new Uint8Array(row.secret);
    },
  };
}
