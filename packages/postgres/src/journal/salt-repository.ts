import type { Day } from '@hitherto/domain/calendar';
import type { SaltRepository } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';

interface SaltRow {
  readonly day: Day;
  readonly secret: Buffer;
}

/**
 * Stores the days' salts in PostgreSQL, so that a deleted salt is in no file. The table is not in the write-ahead log. Rows are
 * never updated or deleted, which would leave their bytes in the table's file: a deletion writes the remaining rows to a new file.
 */
export function createSaltRepository(database: Database): SaltRepository {
  const find = async (day: Day) => {
    const { rows } = await database.query(once(sql<SaltRow>`select secret from salt where day = ${day}::date`));
    return rows[0]?.secret;
  };

  return {
    async saltOf(day, fresh) {
      let secret = await find(day);
      if (secret === undefined) {
        // It waits for a concurrent caller, whose salt is then found.
        await database.query(
          once(sql`
            insert into salt (day, secret) values (${day}::date, ${Buffer.from(fresh)}) on conflict (day) do nothing`),
        );
        secret = await find(day);
      }
      if (secret === undefined) throw new Error('A salt that was inserted is not there.');
      return new Uint8Array(secret);
    },

    async deleteBefore(day) {
      const old = sql<SaltRow>`select day::text, secret from salt where day < ${day}::date`;
      if ((await database.query(once(old))).count === 0) return 0;
      return database.transaction(async (transaction) => {
        // A backup holds a lock until it has read everything. Collecting would wait behind this lock: the next run tries again.
        await transaction.query(once(sql`lock table salt in access exclusive mode nowait`));
        const { count } = await transaction.query(once(old));
        const kept = await transaction.query(
          once(sql<SaltRow>`select day::text, secret from salt where day >= ${day}::date`),
        );
        await transaction.query(once(sql`truncate salt`));
        for (const row of kept.rows) {
          await transaction.query(once(sql`insert into salt (day, secret) values (${row.day}::date, ${row.secret})`));
        }
        return count;
      });
    },
  };
}
