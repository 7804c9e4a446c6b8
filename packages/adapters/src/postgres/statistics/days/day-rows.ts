import type { Dimension, StatisticsQuery, TimeZone } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { dayDifferences } from './day-differences.ts';
import { type DaySources, unseenChanges } from './day-sources.ts';
import { dayValues } from './day-values.ts';
import { isOfKinds, type Kind } from './kinds.ts';
import { SUMMARY_COLUMNS } from './numbers.ts';
import type { SummariesToRead } from './weeks.ts';

/**
 * The numbers of days, kinds and values from all their sources: a select of rows that have to be summed up, and the tables for
 * a `with` clause that it reads, one for each source.
 *
 * @param ofSummaries the kinds that are read from summaries, if not all
 */
export function dayRows(
  { from, to, filters }: StatisticsQuery,
  { websiteNumber, fromVisits, withUnseenHits }: DaySources,
  kinds: readonly Kind[],
  zone: TimeZone,
  ofSummaries = kinds,
): { readonly tables: RawBuilder<unknown>; readonly rows: RawBuilder<unknown> } {
  const tables: Record<string, RawBuilder<unknown>> = {};
  if (filters.length === 0) {
    tables.summarised = sql`
      select ${SUMMARY_COLUMNS} from summary
      where website_number = ${websiteNumber} and ${isOfKinds(ofSummaries)}
        and day between ${from}::date and ${to}::date and day <> all(${fromVisits.days}::date[])`;
  }
  if (filters.length > 0 || fromVisits.days.length > 0) {
    tables.from_visits = sql`with ${dayValues(fromVisits, kinds, zone)} select ${SUMMARY_COLUMNS} from day_value`;
  }
  if (withUnseenHits.length > 0) {
    const changes = unseenChanges({ websiteNumber, days: withUnseenHits });
    tables.unseen = sql`
      with ${changes}, ${dayDifferences(kinds, zone, withUnseenHits)} select ${SUMMARY_COLUMNS} from day_value`;
  }
  return {
    tables: sql.join(Object.entries(tables).map(([name, select]) => sql`${sql.table(name)} as (${select})`)),
    rows: sql.join(
      Object.keys(tables).map((name) => sql`select * from ${sql.table(name)}`),
      sql` union all `,
    ),
  };
}

/**
 * A select of the visitors and events of dimensions and values, in rows that have to be summed up. They are many, so they have
 * nothing else, and closed days are read by week. Reads tables of {@link dayRows}.
 */
export function valueRows(
  { websiteNumber, fromVisits, withUnseenHits }: DaySources,
  dimensions: readonly Dimension[],
  { weeks, days, excess }: SummariesToRead,
): RawBuilder<unknown> {
  const columns = sql`dimension, value, visitors, events`;
  const isOf = sql`website_number = ${websiteNumber} and ${isOfKinds(dimensions)}`;
  const rows = [
    sql`select ${columns} from summary where ${isOf} and day = any(${days}::date[])`,
    sql`select dimension, value, -visitors, -events from summary where ${isOf} and day = any(${excess}::date[])`,
    sql`select ${columns} from week_summary where ${isOf} and week = any(${weeks}::date[])`,
  ];
  if (fromVisits.days.length > 0) rows.push(sql`select ${columns} from from_visits`);
  if (withUnseenHits.length > 0) rows.push(sql`select ${columns} from unseen`);
  return sql.join(rows, sql` union all `);
}
