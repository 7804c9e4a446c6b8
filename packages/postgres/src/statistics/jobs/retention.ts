import type { Day, TimeZone } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { COUNTS } from '../book/store-part.ts';
import type { PartLimits } from '../part-limits.ts';
import { isBefore } from '../zones.ts';
import { handOver } from './hand-over.ts';
import { joinDays } from './join-days.ts';
import { NEEDS_LISTS, summarise } from './summarise.ts';
import { tryWorkLock } from './work-lock.ts';

/** A row has the hits of thousands of visits. */
const MAX_ROWS = 2_000;

/**
 * Deletes hits of days before `day`. First it makes the numbers of these days; from
 * then on reads take them only from there, so the progress of the deletion does not matter.
 */
export async function deleteHitsBefore(
  database: Database,
  installation: TimeZone,
  limits: PartLimits,
  day: Day,
): Promise<boolean> {
  if (await handOver(database, tryWorkLock)) return true;
  if (await joinDays(database, isBefore(day), limits, tryWorkLock)) return true;
  // The first condition is known before any day is read.
  const isAffected = sql`${day}::date > (select kept_from from hit_retention) and ${isBefore(day)}`;
  if (await summarise(database, installation, isAffected, limits, tryWorkLock, true)) return true;
  return database.transaction(async (transaction) => {
    if (!(await tryWorkLock(transaction)) || (await hasUnsummarisedBefore(transaction, day))) return false;
    await transaction.query(
      once(sql`update hit_retention set kept_from = ${day}::date where kept_from < ${day}::date`),
    );
    // Hits of an import that runs are still to be counted.
    const isOld = sql`day < ${day}::date and ${COUNTS}`;
    const { count } = await transaction.query(
      once(sql`
        delete from book where ctid = any(array(select ctid from book where ${isOld} limit ${MAX_ROWS}))`),
    );
    return count > 0;
  });
}

/** The first day whose hits are not deleted. */
export async function readKeptFrom(database: Pick<Database, 'query'>): Promise<Day> {
  const { rows } = await database.query(once(sql<{ day: Day }>`select kept_from::text as day from hit_retention`));
  return rows[0]?.day ?? '';
}

/** Whether days before `day` have hits that are in no numbers. */
async function hasUnsummarisedBefore(transaction: Transaction, day: Day): Promise<boolean> {
  const { rows } = await transaction.query(
    once(sql<{ found: boolean }>`
      select exists (select from added_hits, hit_retention where day < ${day}::date and day >= kept_from)
        or exists (
          select from website_day, hit_retention
          where ${day}::date > kept_from and ${NEEDS_LISTS} and day < ${day}::date and day >= kept_from
        ) as found`),
  );
  return rows[0]?.found !== false;
}
