import { type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { dayDifferences } from '../days/day-differences.ts';
import type { ZonedDay } from '../days/hours.ts';
import { HASHING, NESTED_LOOPS } from '../planner.ts';
import { IS_NOT_ZERO, KINDS, runningZone, SUMMARY_COLUMNS, SUMS_TO_STORE } from '../summary-columns.ts';
import { knownVisits } from '../visits/visit-changes.ts';
import { hasDay, tableOfDays, type WebsiteDay } from '../website-days.ts';
import { deleteRunningSummaries, IS_UNSUMMARISED, isSummaryOfChosen } from './summarise.ts';
import type { TakeLock } from './work-lock.ts';

/** When the summary of a day that is not over is made, and when it is compacted. */
export interface RunningSummaryLimits {
  /** The number of visits from which a day has one. */
  readonly visits: number;
  /** The number of appended rows from which they are summed up. */
  readonly appended: number;
}

/** A day of 2,000 visits is read in 0.2 s without a summary. */
export const RUNNING_SUMMARY_LIMITS: RunningSummaryLimits = { visits: 2_000, appended: 10_000 };

/**
 * Begins the running summary of one large day that is not over, also in place of one of another zone, or compacts one.
 * A running summary equals the numbers of the table of visits: `updateVisits` appends its changes of that table, and reads add what hits that are not in visits yet will
 * change. Nothing in it is folded, because the distinct visitors of folded values could not be updated.
 *
 * @param installation the zone of websites without their own
 * @param isOver the condition that a day is over
 */
export async function keepRunningSummaries(
  database: Database,
  installation: TimeZone,
  isOver: RawBuilder<unknown>,
  limits: RunningSummaryLimits,
  takeLock: TakeLock,
): Promise<boolean> {
  const isLarge = sql`${IS_UNSUMMARISED} and not ${isOver} and visits >= ${limits.visits}
    and running_zone is distinct from ${runningZone(installation)}`;
  const isLong = sql`running_zone is not null and appended >= ${limits.appended}`;
  if (!(await hasDay(database, sql`(${isLarge}) or (${isLong})`))) return false;
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) return false;
    const large = await findDay(transaction, installation, isLarge);
    if (large !== undefined) {
      await begin(transaction, installation, large);
      return true;
    }
    const long = await findDay(transaction, installation, isLong);
    if (long !== undefined) await compact(transaction, long);
    return long !== undefined;
  });
}

async function findDay(
  transaction: Transaction,
  installation: TimeZone,
  condition: RawBuilder<unknown>,
): Promise<ZonedDay | undefined> {
  const { rows } = await transaction.query(
    once(sql<WebsiteDay & { timeZone: string | null }>`
      select website_number as "websiteNumber", day::text as day, time_zone as "timeZone"
      from website_day join website on website.number = website_number where ${condition} limit 1`),
  );
  const [row] = rows;
  return row && { ...row, zone: zoneOf(row, installation) };
}

async function begin(transaction: Transaction, installation: TimeZone, large: ZonedDay): Promise<void> {
  const { websiteNumber, day, zone } = large;
  const days = { websiteNumber, days: [day] };
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  await deleteRunningSummaries(transaction, [large]);
  await transaction.query(once(sql`select ${HASHING}`));
  // The summary is the difference to a day without visits.
  const visits = knownVisits(days);
  await transaction.query(
    once(sql`
      insert into running_summary (website_number, ${SUMMARY_COLUMNS})
      select website_number, ${SUMMARY_COLUMNS} from ${dayDifferences(visits, KINDS, zone, [day])}`),
  );
  await transaction.query(
    once(sql`
      update website_day
      set running_zone = ${runningZone(installation)}, appended = 0
      from website
      where website.number = website_number and website_number = ${websiteNumber} and day = ${day}::date`),
  );
}

/** Sums up the rows of a running summary, so that it has one for each value. */
async function compact(transaction: Transaction, long: ZonedDay): Promise<void> {
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  const compacted = cte(
    'compacted',
    sql`delete from running_summary using ${tableOfDays([long])} chosen where ${isSummaryOfChosen()} returning running_summary.*`,
  );
  await transaction.query(
    once(sql`
      insert into running_summary (website_number, ${SUMMARY_COLUMNS})
      select website_number, day, dimension, value, ${SUMS_TO_STORE} from ${compacted}
      group by website_number, day, dimension, value having ${IS_NOT_ZERO}`),
  );
  await transaction.query(
    once(sql`
      update website_day set appended = 0
      where website_number = ${long.websiteNumber} and day = ${long.day}::date`),
  );
}
