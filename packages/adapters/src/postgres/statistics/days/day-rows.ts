import { DIMENSIONS, type Dimension, type StatisticsQuery } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../../connection/statement.ts';
import { isOfKinds, type Kind, SUMMARY_COLUMNS } from '../summary-columns.ts';
import { chosenVisits, inScope } from '../visits/chosen-visits.ts';
import { dayDifferences } from './day-differences.ts';
import { type DaySources, unseenChanges } from './day-sources.ts';
import { dayValues } from './day-values.ts';
import type { SummariesToRead } from './weeks.ts';

/** The numbers of days, kinds and values, by source. Their rows have to be summed up. */
export interface DayRows {
  readonly fromSummaries: Cte | undefined;
  readonly fromVisits: Cte | undefined;
  readonly ofUnseenHits: Cte | undefined;
}

/**
 * The numbers of the days of a query.
 *
 * @param ofSummaries the kinds that are read from summaries, if not all
 */
export function dayRows(
  { from, to, filters }: StatisticsQuery,
  { websiteNumber, zone, fromVisits, withUnseenHits }: DaySources,
  kinds: readonly Kind[],
  ofSummaries = kinds,
): DayRows {
  const isFiltered = filters.length > 0;
  const valuesOfVisits = () => {
    const hits = sql`select * from hit where ${inScope('hit', fromVisits)}`;
    const { days } = fromVisits;
    const dimensions = DIMENSIONS.filter((dimension) => kinds.includes(dimension));
    return dayValues({ visits: chosenVisits(fromVisits, dimensions), hits, days, zone, isFolded: !isFiltered }, kinds);
  };
  const changesOfUnseenHits = () =>
    dayDifferences(unseenChanges({ websiteNumber, days: withUnseenHits }), kinds, zone, withUnseenHits);
  const rowsFrom = (name: string, table: Cte) => cte(name, sql`select ${SUMMARY_COLUMNS} from ${table}`);
  return {
    fromSummaries: isFiltered
      ? undefined
      : cte(
          'from_summaries',
          sql`
            select ${SUMMARY_COLUMNS} from summary
            where website_number = ${websiteNumber} and ${isOfKinds(ofSummaries)}
              and day between ${from}::date and ${to}::date and day <> all(${fromVisits.days}::date[])`,
        ),
    fromVisits: isFiltered || fromVisits.days.length > 0 ? rowsFrom('from_visits', valuesOfVisits()) : undefined,
    ofUnseenHits: withUnseenHits.length > 0 ? rowsFrom('of_unseen_hits', changesOfUnseenHits()) : undefined,
  };
}

/** A select of all these rows. There are summaries or visits, or both. */
export function allRows({ fromSummaries, fromVisits, ofUnseenHits }: DayRows): RawBuilder<unknown> {
  const tables = [fromSummaries, fromVisits, ofUnseenHits].filter((table) => table !== undefined);
  return sql.join(
    tables.map((table) => sql`select * from ${table}`),
    sql` union all `,
  );
}

/**
 * A select of the visitors and events of dimensions and values, in rows that have to be summed up. They are many, so they have
 * nothing else, and closed days are read by week.
 */
export function valueRows(
  websiteNumber: string,
  { fromVisits, ofUnseenHits }: DayRows,
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
  if (fromVisits !== undefined) rows.push(sql`select ${columns} from ${fromVisits}`);
  if (ofUnseenHits !== undefined) rows.push(sql`select ${columns} from ${ofUnseenHits}`);
  return sql.join(rows, sql` union all `);
}
