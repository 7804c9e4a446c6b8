import type { SaltRepository } from '@hitherto/domain';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';

/** Stores the days' salts in PostgreSQL. */
export function createSaltRepository(database: Database): SaltRepository {
  return {
    async saltOf(day, fresh) {
      // The update changes nothing, but waits for the row of the first caller and returns it.
      const { rows } = await database.query(
        once(sql<{ secret: Buffer }>`
          insert into salt (day, secret) values (${day}::date, ${Buffer.from(fresh)})
          on conflict (day) do update set secret = salt.secret returning secret`),
      );
      const [row] = rows;
      if (row === undefined) throw new Error('The upsert of a salt returned no row.');
      return new Uint8Array(row.secret);
    },

    async deleteBefore(day) {
      return (await database.query(once(sql`delete from salt where day < ${day}::date`))).count;
    },
  };
}
