import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';

/**
 * Whether an engine outside has the statistics. The statement with it also inserts into `added_hits`, and a move locks this table
 * before it changes the engine; PostgreSQL takes the locks of a statement before its snapshot.
 */
export const IS_OUTSIDE = sql<boolean>`(select is_outside from statistics_engine)`;

/** See `useEngine` of `PostgresRepositories`. */
export async function useEngine(database: Database, isOutside: boolean): Promise<boolean> {
  if (isOutside) {
    await database.query(
      once(sql`
        update statistics_engine set is_outside = true
        where not is_outside and not exists (select from added_hits) and not exists (select from website_day)
          and not exists (select from imported_sum)`),
    );
  }
  const { rows } = await database.query(
    once(sql<{ isOutside: boolean }>`select is_outside as "isOutside" from statistics_engine`),
  );
  return rows[0]?.isOutside === isOutside;
}
