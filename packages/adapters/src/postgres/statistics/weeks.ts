import { addDays, type Day, DIMENSIONS, daysOf, type StatisticsQuery, startOfWeek } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { NUMBER_COLUMNS } from './day-values.ts';
import { CODES, type Kind } from './kinds.ts';
import type { RecordedDays } from './recorded-days.ts';

const DAYS_PER_WEEK = 7;

/** The closed days of a period, for which there are summaries: of whole weeks, and of the other days. */
export interface SummarisedDays {
  /** Mondays. */
  readonly weeks: readonly Day[];
  /** Days in none of the weeks. */
  readonly days: readonly Day[];
}

/**
 * Sums up the summaries of the weeks of these days anew. A week gets a sum when its seven days are summarised for good. The caller
 * holds the lock under which summaries change.
 */
export async function summariseWeeks(
  transaction: Transaction,
  websiteNumber: string,
  days: readonly Day[],
): Promise<void> {
  const weeks = [...new Set(days.map(startOfWeek))];
  await transaction.query(
    once(sql`delete from week_summary where website_number = ${websiteNumber} and week = any(${weeks}::date[])`),
  );
  const whole = await wholeWeeks(transaction, websiteNumber, weeks, sql`summarised and running_zone is null`);
  if (whole.length === 0) return;
  await transaction.query(
    once(sql`
      insert into week_summary (website_number, week, dimension, value, visitors, events)
      select ${websiteNumber}::bigint, week, dimension, value, sum(visitors), sum(events)
      from unnest(${whole}::date[]) week join summary on day between week and week + ${DAYS_PER_WEEK - 1}::integer
      where website_number = ${websiteNumber} and day = any(${whole.flatMap(daysOfWeek)}::date[])
        and dimension = any(${DIMENSIONS.map((dimension) => CODES[dimension])}::smallint[])
      group by week, dimension, value order by dimension, week`),
  );
  await transaction.query(
    once(sql`
      update website_day set in_week_summary = true
      where website_number = ${websiteNumber} and day = any(${whole.flatMap(daysOfWeek)}::date[])`),
  );
}

/** Divides the closed days of a period, those that are not recorded, into whole weeks and other days. */
export async function summarisedDays(
  transaction: Transaction,
  { from, to }: StatisticsQuery,
  recorded: RecordedDays,
): Promise<SummarisedDays> {
  const isRecorded = new Set(recorded.days);
  const all = daysOf(from, to);
  const inPeriod = all.filter((day) => startOfWeek(day) === day && addDays(day, DAYS_PER_WEEK - 1) <= to);
  const closed = inPeriod.filter((week) => !daysOfWeek(week).some((day) => isRecorded.has(day)));
  const weeks =
    closed.length === 0 ? [] : await wholeWeeks(transaction, recorded.websiteNumber, closed, sql`in_week_summary`);
  const isInWeek = new Set(weeks.flatMap(daysOfWeek));
  return { weeks, days: all.filter((day) => !isRecorded.has(day) && !isInWeek.has(day)) };
}

/** The visitors and events of values in weeks, with the columns of `summary`; other numbers are 0. */
export function weekValues(websiteNumber: string, weeks: readonly Day[], kinds: readonly Kind[]): RawBuilder<unknown> {
  const isOfWeek = (column: string) => column === 'visitors' || column === 'events';
  const numbers = NUMBER_COLUMNS.map((column) => (isOfWeek(column) ? sql.ref(column) : sql`0`));
  return sql`
    select week, dimension, value, ${sql.join(numbers)} from week_summary
    where website_number = ${websiteNumber} and dimension = any(${kinds.map((kind) => CODES[kind])}::smallint[])
      and week = any(${weeks}::date[])`;
}

/** Those of the weeks whose seven rows of `website_day` all meet the condition. */
async function wholeWeeks(
  transaction: Transaction,
  websiteNumber: string,
  weeks: readonly Day[],
  condition: RawBuilder<unknown>,
): Promise<Day[]> {
  const { rows } = await transaction.query(
    once(sql<{ week: Day }>`
      select week::text from unnest(${weeks}::date[]) week
        join website_day on day between week and week + ${DAYS_PER_WEEK - 1}::integer
      where website_number = ${websiteNumber} and ${condition}
      group by week having count(*) = ${DAYS_PER_WEEK}`),
  );
  return rows.map(({ week }) => week);
}

function daysOfWeek(week: Day): Day[] {
  return daysOf(week, addDays(week, DAYS_PER_WEEK - 1));
}
