import {
  type Dimension,
  NO_TOTALS,
  type Overview,
  type SeriesPoint,
  type StatisticsQuery,
  type StatisticsRepository,
  sumTotals,
  type TimeZone,
  type ValuePage,
  type ValuePosition,
} from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { currentVisits } from './chosen-visits.ts';
import { dayDifferences } from './day-differences.ts';
import { dayValues } from './day-values.ts';
import { readFilteredDays } from './filtered-days.ts';
import { readFilteredOverview } from './filtered-overview.ts';
import { hoursAround } from './hours.ts';
import { CODES, type Kind } from './kinds.ts';
import { type NumbersRow, SUMMARY_COLUMNS, SUMS, toTotals } from './numbers.ts';
import { readOverview } from './overview.ts';
import { readPropertyNames, readPropertyValues } from './properties.ts';
import { type RecordedDays, recordedDays, unseenChanges } from './recorded-days.ts';
import { readCurrentVisitors, readDropped, readFirstDay } from './small-reads.ts';
import { readValuePage } from './value-list.ts';
import { type SummarisedDays, summarisedDays } from './weeks.ts';

const NO_VALUES: ValuePage = { rows: [], previous: undefined, next: undefined, total: 0 };

/**
 * Reads statistics from PostgreSQL. Summarised days and large open days are read from their summaries, the others from
 * visits. A read is a transaction that sees one snapshot, in which every hit is in a summary, in a visit, or its visitor is
 * marked as changed.
 */
export function createStatisticsRepository(database: Database, zone: TimeZone): StatisticsRepository {
  /** Runs `work` on the days that the query has to read from visits and hits. */
  const read = <Result>(
    query: StatisticsQuery,
    absent: Result,
    work: (transaction: Transaction, recorded: RecordedDays) => Promise<Result>,
    fromHits = query.filters.length > 0,
  ): Promise<Result> =>
    database.transaction(
      async (transaction) => {
        const recorded = await recordedDays(transaction, query, zone, fromHits);
        return recorded === undefined ? absent : work(transaction, recorded);
      },
      { snapshot: true },
    );

  return {
    totals: (query) =>
      read(query, NO_TOTALS, async (transaction, recorded) => {
        const { filters } = query;
        if (filters.length > 0) return sumTotals(await readFilteredDays(transaction, { ...recorded, filters }));
        const { tables, rows } = numbersOf(query, recorded, ['total'], zone);
        const { rows: found } = await transaction.query(
          once(sql<NumbersRow>`with ${tables} select ${SUMS} from (${rows}) row`),
        );
        return found[0] === undefined ? NO_TOTALS : toTotals(found[0]);
      }),

    series: (query, interval) =>
      read<SeriesPoint[]>(query, [], async (transaction, recorded) => {
        const { filters } = query;
        const isByDay = interval === 'day';
        if (isByDay && filters.length > 0) return readFilteredDays(transaction, { ...recorded, filters });
        const { tables, rows } = numbersOf(query, recorded, [isByDay ? 'total' : 'hour'], zone);
        const { rows: points } = await transaction.query(
          once(sql<NumbersRow & { start: string }>`
            with ${tables}
            select ${isByDay ? sql`day::text` : sql`value`} as start, ${SUMS}
            from (${rows}) row group by start having sum(visitors) > 0 order by start`),
        );
        return points.map((point) => ({
          ...toTotals(point),
          start: isByDay ? point.start : new Date(Number(point.start) * 1_000),
        }));
      }),

    values: (query, dimension: Dimension, limit, position?: ValuePosition) =>
      read(query, NO_VALUES, (transaction, recorded) => {
        const { tables, rows } = numbersOf(query, recorded, [dimension], zone);
        return readValuePage(transaction, tables, rows, limit, position);
      }),

    overview: (query, dimensions, limit) => {
      const none = { rows: [], total: 0 };
      const absent = { days: [], values: new Map(dimensions.map((dimension) => [dimension, none])) };
      return read<Overview>(query, absent, async (transaction, recorded) => {
        const { filters } = query;
        if (filters.length > 0) return readFilteredOverview(transaction, { ...recorded, filters }, dimensions, limit);
        const split = await summarisedDays(transaction, query, recorded);
        const { tables, rows } = numbersOf(query, recorded, ['total', ...dimensions], zone, ['total']);
        return readOverview(transaction, tables, rows, valuesOf(recorded, dimensions, split), dimensions, limit);
      });
    },

    propertyValues: (query, event, property, limit, position) =>
      read(
        query,
        NO_VALUES,
        (transaction, recorded) => readPropertyValues(transaction, query, recorded, event, property, limit, position),
        true,
      ),

    propertyNames: (query, event) =>
      read<string[]>(
        query,
        [],
        (transaction, recorded) => readPropertyNames(transaction, query, recorded, event),
        true,
      ),

    currentVisitors: (websiteId, since) => readCurrentVisitors(database, websiteId, since),
    dropped: (websiteId, from, to) => readDropped(database, websiteId, from, to),
    firstDay: (websiteId) => readFirstDay(database, websiteId),
  };
}

/**
 * The rows of days, kinds, values and numbers, and the tables of the `with` clause that they are read from.
 *
 * @param ofClosedDays the kinds of closed days, if those have fewer than `kinds`
 */
function numbersOf(
  { from, to, filters }: StatisticsQuery,
  { websiteNumber, days, changedDays }: RecordedDays,
  kinds: readonly Kind[],
  zone: TimeZone,
  ofClosedDays = kinds,
): { tables: RawBuilder<unknown>; rows: RawBuilder<unknown> } {
  const closed = sql`
    select ${SUMMARY_COLUMNS} from summary
    where website_number = ${websiteNumber} and dimension = any(${ofClosedDays.map((kind) => CODES[kind])}::smallint[])
      and day between ${from}::date and ${to}::date and day <> all(${days}::date[])`;
  const summarised = sql`summarised as not materialized (${closed})`;
  const current = () => {
    const source = currentVisits({ websiteNumber, days, filters });
    return dayValues({ source, kinds, hours: hoursAround(zone, days) }, filters.length === 0);
  };
  if (filters.length > 0) return { tables: current(), rows: sql`select ${SUMMARY_COLUMNS} from day_value` };
  const tables = [summarised];
  const rows = [sql`select * from summarised`];
  if (days.length > 0) {
    tables.push(sql`current as (with ${current()} select ${SUMMARY_COLUMNS} from day_value)`);
    rows.push(sql`select * from current`);
  }
  if (changedDays.length > 0) {
    const unseen = dayDifferences(kinds, hoursAround(zone, changedDays));
    tables.push(sql`
      unseen as (with ${unseenChanges({ websiteNumber, days: changedDays })}, ${unseen} select ${SUMMARY_COLUMNS} from day_value)`);
    rows.push(sql`select * from unseen`);
  }
  return { tables: sql.join(tables), rows: sql.join(rows, sql` union all `) };
}

/**
 * The rows of dimensions, values, visitors and events. They are many, so they have nothing else.
 *
 * @param split how the closed days are read; the others are in the tables of {@link numbersOf}
 */
function valuesOf(
  { websiteNumber, days, changedDays }: RecordedDays,
  dimensions: readonly Dimension[],
  split: SummarisedDays,
): RawBuilder<unknown> {
  const columns = sql`dimension, value, visitors, events`;
  const codes = dimensions.map((dimension) => CODES[dimension]);
  const isOf = sql`website_number = ${websiteNumber} and dimension = any(${codes}::smallint[])`;
  const rows = [
    sql`select ${columns} from summary where ${isOf} and day = any(${split.days}::date[])`,
    sql`select dimension, value, -visitors, -events from summary where ${isOf} and day = any(${split.excess}::date[])`,
    sql`select ${columns} from week_summary where ${isOf} and week = any(${split.weeks}::date[])`,
  ];
  if (days.length > 0) rows.push(sql`select ${columns} from current`);
  if (changedDays.length > 0) rows.push(sql`select ${columns} from unseen`);
  return sql.join(rows, sql` union all `);
}
