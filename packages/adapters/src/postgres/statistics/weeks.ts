import { addDays, type Day, DIMENSIONS, daysOf, type StatisticsQuery, startOfWeek } from '@hitherto/domain';
import { sql } from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { CODES } from './kinds.ts';
import type { RecordedDays } from './recorded-days.ts';

const DAYS_PER_WEEK = 7;

/** The sum of the summaries of some days of a week. */
interface WeekSum {
  /** A Monday. */
  readonly week: Day;
  readonly days: readonly Day[];
}

/** How the closed days of a period, for which there are summaries, are read. */
export interface SummarisedDays {
  /** The Mondays of weeks whose sums are added. */
  readonly weeks: readonly Day[];
  /** Days that are in none of these sums. */
  readonly days: readonly Day[];
  /** Days that are in these sums but not in the period. They are subtracted. */
  readonly excess: readonly Day[];
}

/**
 * Sums up the summaries of the weeks of these days anew. A sum is of those days of a week that are summarised for good, and
 * these are marked. The row of the kind `total` has the number of days in `visitors`: if fewer days are marked, one of them
 * has changed since, and the sum does not count. The caller holds the lock under which summaries change.
 */
export async function summariseWeeks(
  transaction: Transaction,
  websiteNumber: string,
  days: readonly Day[],
): Promise<void> {
  const weeks = [...new Set(days.map(startOfWeek))];
  const ofWeeks = weeks.flatMap(daysOfWeek);
  await transaction.query(
    once(sql`delete from week_summary where website_number = ${websiteNumber} and week = any(${weeks}::date[])`),
  );
  const { rows } = await transaction.query(
    once(sql<{ day: Day }>`
      select day::text from website_day
      where website_number = ${websiteNumber} and day = any(${ofWeeks}::date[]) and summarised and running_zone is null`),
  );
  const summed = rows.map(({ day }) => day);
  await transaction.query(
    once(sql`
      insert into week_summary (website_number, week, dimension, value, visitors, events)
      select ${websiteNumber}::bigint, week, dimension, value, sum(visitors), sum(events)
      from unnest(${weeks}::date[]) week join summary on day between week and week + ${DAYS_PER_WEEK - 1}::integer
      where website_number = ${websiteNumber} and day = any(${summed}::date[])
        and dimension = any(${DIMENSIONS.map((dimension) => CODES[dimension])}::smallint[])
      group by week, dimension, value
      union all
      select ${websiteNumber}::bigint, week, ${CODES.total}::smallint, null, count(*), 0
      from unnest(${weeks}::date[]) week join unnest(${summed}::date[]) day
        on day between week and week + ${DAYS_PER_WEEK - 1}::integer
      group by week
      order by dimension, week`),
  );
  await transaction.query(
    once(sql`
      update website_day set in_week_summary = (day = any(${summed}::date[]))
      where website_number = ${websiteNumber} and day = any(${ofWeeks}::date[])
        and in_week_summary <> (day = any(${summed}::date[]))`),
  );
}

/**
 * Divides the closed days of a period, those that are not recorded, so that few summaries are read: of a week that is only
 * partly in the period, either its days are read, or its sum, from which its other days are subtracted.
 */
export async function summarisedDays(
  transaction: Transaction,
  query: StatisticsQuery,
  recorded: RecordedDays,
): Promise<SummarisedDays> {
  const isRecorded = new Set(recorded.days);
  const closed = daysOf(query.from, query.to).filter((day) => !isRecorded.has(day));
  const isClosed = new Set(closed);
  const sums = (await weekSums(transaction, recorded.websiteNumber, closed)).filter(({ days }) => {
    const inPeriod = days.filter((day) => isClosed.has(day)).length;
    return 1 + days.length - inPeriod < inPeriod;
  });
  const summed = sums.flatMap(({ days }) => days);
  const isSummed = new Set(summed);
  return {
    weeks: sums.map(({ week }) => week),
    days: closed.filter((day) => !isSummed.has(day)),
    excess: summed.filter((day) => !isClosed.has(day)),
  };
}

/** The sums of the weeks of these days that count. Those made before sums had their number of days are of whole weeks. */
async function weekSums(transaction: Transaction, websiteNumber: string, days: readonly Day[]): Promise<WeekSum[]> {
  const weeks = [...new Set(days.map(startOfWeek))];
  if (weeks.length === 0) return [];
  const { rows } = await transaction.query(
    once(sql<WeekSum>`
      select week::text, array_agg(day::text) as days
      from unnest(${weeks}::date[]) week
        join website_day on day between week and week + ${DAYS_PER_WEEK - 1}::integer
      where website_number = ${websiteNumber} and in_week_summary
      group by week
      having count(*) = coalesce((
        select visitors from week_summary sum
        where sum.website_number = ${websiteNumber} and sum.dimension = ${CODES.total} and sum.week = week.week
      ), ${DAYS_PER_WEEK})`),
  );
  return rows;
}

function daysOfWeek(week: Day): Day[] {
  return daysOf(week, addDays(week, DAYS_PER_WEEK - 1));
}
