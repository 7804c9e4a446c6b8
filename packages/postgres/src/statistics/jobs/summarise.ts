import { type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { columnsOf, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { countDays, listsOf } from '../days/count-days.ts';
import { dayValues, HIT_COLUMNS } from '../days/day-values.ts';
import { groupByHours, type ZonedDay } from '../days/hours.ts';
import { addUpMonths } from '../days/months.ts';
import { deleteNumbers, insertNumbers } from '../days/number-rows.ts';
import { HASHING, NESTED_LOOPS } from '../planner.ts';
import { isOfKinds, KINDS } from '../summary-columns.ts';
import { VISIT_COLUMNS } from '../visits/visits.ts';
import { HAS_ALL_HITS, hasDay, IS_KEPT, rowsOfDays, tableOfDays, type WebsiteDay } from '../website-days.ts';
import type { TakeLock } from './work-lock.ts';

/** How many days of websites a call summarises at most, and how many visits they may have before the last of them. */
const MAX_DAYS = 500;
const MAX_VISITS = 50_000;

/** The condition on `website_day` that a day has to be summarised. */
export const IS_UNSUMMARISED = sql`hits <> hits_in_numbers`;

/**
 * Summarises days whose visits are up to date. Returns whether more may be left.
 *
 * @param installation the zone of websites without their own
 * @param isReady the condition that a day is over
 */
export async function summarise(
  database: Database,
  installation: TimeZone,
  isReady: RawBuilder<unknown>,
  takeLock: TakeLock,
): Promise<boolean> {
  const isChosen = sql`${IS_UNSUMMARISED} and ${isReady} and ${IS_KEPT} and ${HAS_ALL_HITS}`;
  if (!(await hasDay(database, isChosen))) return false;
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) return false;
    const { rows } = await transaction.query(
      once(sql<WebsiteDay & { timeZone: string | null }>`
        select website_number as "websiteNumber", day::text as day, time_zone as "timeZone"
        from (
          select website_number, day, sum(visits) over (order by website_number, day) - visits as visits_before
          from website_day
          where ${isChosen}
          order by website_number, day limit ${MAX_DAYS}
        ) ready left join website on website.number = website_number
        where visits_before < ${MAX_VISITS}`),
    );
    const days = rows.map((row) => ({ ...row, zone: zoneOf(row, installation) }));
    await summariseDays(transaction, days);
    await addUpMonths(transaction, days);
    return days.length > 0;
  });
}

/**
 * Counts these days again, and ends their running summaries. The caller holds the lock under which visits change; the visits of
 * the days have all their hits. `addUpMonths` is left to the caller.
 */
export async function summariseDays(transaction: Transaction, days: readonly ZonedDay[]): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(once(sql`select ${HASHING}`));
  const rows = [];
  for (const group of groupByHours(days)) {
    rows.push(...(await countDays(transaction, listsToStore(group.zone, group.days))));
  }
  await deleteNumbers(transaction, days);
  await insertNumbers(transaction, rows);
  await endSummarising(transaction, days);
}

/** Notes that the numbers of these days have all their hits, and ends their running summaries. */
export async function endSummarising(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  await deleteRunningSummaries(transaction, days);
  await transaction.query(
    once(sql`
      update website_day set hits_in_numbers = hits, running_zone = null, appended = 0
      from ${tableOfDays(days)} chosen
      where website_day.website_number = chosen.website_number and website_day.day = chosen.day`),
  );
}

function listsToStore(zone: TimeZone, days: readonly WebsiteDay[]): RawBuilder<unknown> {
  const visits = cte('visit_of_day', rowsOfDays('visit', columnsOf(VISIT_COLUMNS), days));
  const hits = cte('hit_of_day', rowsOfDays('hit', columnsOf(HIT_COLUMNS), days));
  const source = { visits, hits: sql`select * from ${hits}`, days: days.map(({ day }) => day), zone, isFolded: true };
  return listsOf(dayValues(source, KINDS));
}

export async function deleteRunningSummaries(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  await transaction.query(
    once(sql`delete from running_summary using ${tableOfDays(days)} chosen where ${isSummaryOfChosen()}`),
  );
}

/**
 * The condition that a row of `running_summary` is of a chosen day. It names all kinds, because they come before days in the
 * index.
 */
export function isSummaryOfChosen(): RawBuilder<unknown> {
  return sql`running_summary.website_number = chosen.website_number and running_summary.day = chosen.day and ${isOfKinds(KINDS)}`;
}
