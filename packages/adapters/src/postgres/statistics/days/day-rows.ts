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
  /** Sums of imported days. */
  readonly fromImports: Cte | undefined;
}

/**
 * The numbers of the days of a query.
 *
 * @param ofSummaries the kinds that are read from summaries, if not all
 */
export function dayRows(
  { from, to, filters }: StatisticsQuery,
  { websiteNumber, zone, fromVisits, withUnseenHits, imports }: DaySources,
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
  const rowsFrom = (name: string, table: Cte) => cte(name, sql`select ${SUMMARY_COLUMNS}, ${NO_GAPS} from ${table}`);
  return {
    fromSummaries: isFiltered
      ? undefined
      : cte(
          'from_summaries',
          sql`
            select ${SUMMARY_COLUMNS}, ${NO_GAPS} from summary
            where website_number = ${websiteNumber} and ${isOfKinds(ofSummaries)}
              and day between ${from}::date and ${to}::date and day <> all(${fromVisits.days}::date[])`,
        ),
    fromVisits: isFiltered || fromVisits.days.length > 0 ? rowsFrom('from_visits', valuesOfVisits()) : undefined,
    ofUnseenHits: withUnseenHits.length > 0 ? rowsFrom('of_unseen_hits', changesOfUnseenHits()) : undefined,
    fromImports:
      imports.length === 0
        ? undefined
        : cte(
            'from_imports',
            sql`
              select ${SUMMARY_COLUMNS}, gaps from imported_sum
              where website_number = ${websiteNumber} and ${isOfKinds(kinds)}
                and day between ${from}::date and ${to}::date and import_number = any(${imports}::bigint[])`,
          ),
  };
}

/** Hits are counted exactly. */
const NO_GAPS = sql`0::smallint as gaps`;

/** A select of all these rows. There are summaries or visits, or both. */
export function allRows({ fromSummaries, fromVisits, ofUnseenHits, fromImports }: DayRows): RawBuilder<unknown> {
  const tables = [fromSummaries, fromVisits, ofUnseenHits, fromImports].filter((table) => table !== undefined);
  return sql.join(
    tables.map((table) => sql`select * from ${table}`),
    sql` union all `,
  );
}

/**
 * A select of the visitors, events and gaps of dimensions and values, in rows that have to be summed up. They are many, so they have
 * nothing else, and closed days are read by week.
 */
export function valueRows(
  websiteNumber: string,
  { fromVisits, ofUnseenHits, fromImports }: DayRows,
  dimensions: readonly Dimension[],
  { weeks, days, excess }: SummariesToRead,
): RawBuilder<unknown> {
  const columns = sql`dimension, value, visitors, events`;
  const withoutGaps = sql`${columns}, ${NO_GAPS}`;
  const isOf = sql`website_number = ${websiteNumber} and ${isOfKinds(dimensions)}`;
  const rows = [
    sql`select ${withoutGaps} from summary where ${isOf} and day = any(${days}::date[])`,
    sql`select dimension, value, -visitors, -events, 0::smallint from summary where ${isOf} and day = any(${excess}::date[])`,
    sql`select ${withoutGaps} from week_summary where ${isOf} and week = any(${weeks}::date[])`,
  ];
  if (fromVisits !== undefined) rows.push(sql`select ${columns}, gaps from ${fromVisits}`);
  if (ofUnseenHits !== undefined) rows.push(sql`select ${columns}, gaps from ${ofUnseenHits}`);
  if (fromImports !== undefined) rows.push(sql`select ${columns}, gaps from ${fromImports}`);
  return sql.join(rows, sql` union all `);
}
