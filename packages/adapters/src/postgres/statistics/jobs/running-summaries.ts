import type { Day, TimeZone } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { cte } from '../../connection/cte.ts';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { dayDifferences } from '../days/day-differences.ts';
import { IS_NOT_ZERO, SUMMARY_COLUMNS, SUMS_TO_STORE } from '../days/numbers.ts';
import { KINDS, NEWEST_KIND, runningZoneOf } from '../kinds.ts';
import { HASHING, NESTED_LOOPS } from '../planner.ts';
import { knownHits, knownVisits } from '../visits/visit-changes.ts';
import { tableOfDays, type WebsiteDay } from '../website-days.ts';
import { daysWithEarlierVisits, rebuildVisits } from './rebuild-visits.ts';
import { deleteSummaries, isSummaryOfChosen } from './summarise.ts';
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
 * Begins the running summary of one large day from `today` on, also in place of one of another zone or version, or compacts
 * one. A running summary equals what the table of
 * visits says: `updateVisits` appends to it what it changes there, and reads add what hits that are not in visits yet will
 * change. Nothing in it is folded, because distinct visitors of folded values could not be kept up to date.
 */
export function keepRunningSummaries(
  database: Database,
  zone: TimeZone,
  today: Day,
  limits: RunningSummaryLimits,
  takeLock: TakeLock,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) return false;
    const large = await findDay(
      transaction,
      sql`(not summarised or running_zone <> ${runningZoneOf(zone)})
        and day >= ${today}::date and visits >= ${limits.visits}`,
    );
    if (large !== undefined) {
      await begin(transaction, zone, large);
      return true;
    }
    const long = await findDay(transaction, sql`running_zone is not null and appended >= ${limits.appended}`);
    if (long !== undefined) await compact(transaction, long);
    return long !== undefined;
  });
}

async function findDay(transaction: Transaction, condition: RawBuilder<unknown>): Promise<WebsiteDay | undefined> {
  const { rows } = await transaction.query(
    once(sql<WebsiteDay>`
      select website_number as "websiteNumber", day::text as day from website_day where ${condition} limit 1`),
  );
  return rows[0];
}

async function begin(transaction: Transaction, zone: TimeZone, large: WebsiteDay): Promise<void> {
  const { websiteNumber, day } = large;
  const days = { websiteNumber, days: [day] };
  const earlier = await daysWithEarlierVisits(transaction, [large]);
  if (earlier.length > 0) await rebuildVisits(transaction, earlier, knownHits(days));
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  await deleteSummaries(transaction, [large]);
  await transaction.query(once(sql`select ${HASHING}`));
  // The summary is the difference to a day without visits.
  const visits = knownVisits(days);
  await transaction.query(
    once(sql`
      insert into summary (website_number, ${SUMMARY_COLUMNS})
      select website_number, ${SUMMARY_COLUMNS} from ${dayDifferences(visits, KINDS, zone, [day])}`),
  );
  await transaction.query(
    once(sql`
      update website_day
      set summarised = true, running_zone = ${runningZoneOf(zone)}, appended = 0, newest_kind = ${NEWEST_KIND}
      where website_number = ${websiteNumber} and day = ${day}::date`),
  );
}

/** Sums up the rows of a running summary, so that it has one for each value. */
async function compact(transaction: Transaction, long: WebsiteDay): Promise<void> {
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  const compacted = cte(
    'compacted',
    sql`delete from summary using ${tableOfDays([long])} chosen where ${isSummaryOfChosen()} returning summary.*`,
  );
  await transaction.query(
    once(sql`
      insert into summary (website_number, ${SUMMARY_COLUMNS})
      select website_number, day, dimension, value, ${SUMS_TO_STORE} from ${compacted}
      group by website_number, day, dimension, value having ${IS_NOT_ZERO}`),
  );
  await transaction.query(
    once(sql`
      update website_day set appended = 0
      where website_number = ${long.websiteNumber} and day = ${long.day}::date`),
  );
}
