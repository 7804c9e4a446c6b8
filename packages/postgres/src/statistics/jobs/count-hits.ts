import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { TakeLock } from './work-lock.ts';

/** How many rows a call adds up. */
const MAX_ROWS = 10_000;

/** Adds up how many hits were added to each day. Returns whether more are left. */
export async function countHits(database: Database, takeLock: TakeLock): Promise<boolean> {
  if ((await countAddedRows(database, 1)) === 0) return false;
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) return false;
    const { rows } = await transaction.query(
      once(sql<{ taken: number }>`
        with taken as (
          delete from added_hits where ctid = any(array(select ctid from added_hits limit ${MAX_ROWS}))
          returning website_number, day, hits
        ),
        counted as (
          insert into website_day (website_number, day, hits)
          select website_number, day, sum(hits) from taken
          where day >= (select kept_from from hit_retention) group by website_number, day
          on conflict (website_number, day) do update set hits = website_day.hits + excluded.hits
        )
        select count(*)::integer as taken from taken`),
    );
    return (rows[0]?.taken ?? 0) >= MAX_ROWS;
  });
}

/** How many rows there are to add up, counted up to `limit`: every instance asks regularly, and mostly there are none or few. */
export async function countAddedRows(database: Database, limit: number): Promise<number> {
  const { rows } = await database.query(
    once(sql<{ added: number }>`
      select count(*)::integer as added from (select from added_hits limit ${limit}) added`),
  );
  return rows[0]?.added ?? 0;
}
