import { isId } from '@hitherto/domain/base';
import { addDays, type Day, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { movedAway } from '../../moved-away.ts';
import { HASHING } from '../planner.ts';
import { isOfKinds, type Kind, NO_GAPS, runningZone, SUMMARY_COLUMNS } from '../summary-columns.ts';
import { chosenVisits, inScope, type Scope, type WebsiteDays } from '../visits/chosen-visits.ts';
import { changedHits, changedVisits, mismatches } from '../visits/visit-changes.ts';
import { dayDifferences } from './day-differences.ts';
import { dayValues } from './day-values.ts';
import type { SummariesToRead } from './weeks.ts';

/** Days that are read visit by visit, with the filters of the query. (`readFilteredDays` takes some from summaries.) */
export interface VisitSources {
  /** The website's. */
  readonly zone: TimeZone;
  /** Days whose visits are stored by columns. */
  readonly fromColumns: Scope;
  /** Other days. */
  readonly fromVisits: Scope;
}

/** Where the days of a query are read from. Days that no field has are read from their summaries. */
export interface DaySources extends VisitSources {
  readonly websiteNumber: string;
  /** Days that are read from their running summary and `unseenChanges`. */
  readonly withUnseenHits: readonly Day[];
  /** The first day of the query whose summary may be read. */
  readonly summariesFrom: Day;
  /** The last day of the query whose summary or sums may be read: a day that is cut has none. */
  readonly sumsTo: Day;
  /** The numbers of the imports whose sums of days count; none where the days are read visit by visit. */
  readonly imports: readonly string[];
}

interface FoundRow {
  readonly websiteNumber: string;
  readonly timeZone: string | null;
  readonly fromVisits: Day[];
  readonly fromColumns: Day[];
  readonly withUnseenHits: Day[];
  readonly summariesFrom: Day;
  readonly imports: string[];
  readonly isOutside: boolean;
}

/** How the days of a query are read. */
export interface DayReading {
  /** The zone of websites without their own. */
  readonly installation: TimeZone;
  /** Whether to read although an engine outside has the statistics. */
  readonly readsInactiveEngine: boolean;
  /** Reads every day whose hits are stored from visits or from columns. */
  readonly allFromVisits: boolean;
}

/**
 * Finds the sources of a query's days. Days without a summary, or with one that lacks hits, are read
 * from visits, but for hits that a running summary lacks.
 * Returns `undefined` if there is no such website. Configures the transaction for `chosenVisits`.
 */
export async function findDaySources(
  transaction: Transaction,
  { websiteId, from, to, until, filters, goals = new Map(), onlyHits = false }: StatisticsQuery,
  { installation, readsInactiveEngine, allFromVisits }: DayReading,
): Promise<DaySources | undefined> {
  if (!isId(websiteId)) return undefined;
  const { rows } = await transaction.query(
    once(sql<FoundRow>`
      select website.number as "websiteNumber", website.time_zone as "timeZone", ${HASHING}, source.*,
        (select is_outside from statistics_engine) as "isOutside",
        greatest(${from}::date, (select kept_from from hit_retention where ${onlyHits}::boolean))::text as "summariesFrom", array(
          select import.number::text from import
          where website_number = website.number and status = 'done' and counts -> 'sums' is not null and exists (
            select from import_day where import_number = import.number and day between ${from}::date and ${to}::date
          )
        ) as imports
      from website cross join lateral (
        select coalesce(array_agg(day::text) filter (where not is_running and not in_columns), '{}') as "fromVisits",
          coalesce(array_agg(day::text order by day) filter (where in_columns), '{}') as "fromColumns",
          coalesce(array_agg(day::text) filter (where is_running), '{}') as "withUnseenHits"
        from (
          select day, bool_and(is_running) as is_running, bool_and(in_columns) as in_columns from (
            -- Days without a summary, or all.
            select day, false as is_running, in_columns from website_day
            where website_number = website.number and day between ${from}::date and ${to}::date
              and (${allFromVisits}::boolean or not summarised)
            union
            -- Days with hits that their summary lacks.
            select changed.day, coalesce(running_zone = ${runningZone(installation)}, false), false
            from changed_visitor changed left join website_day using (website_number, day)
            where website_number = website.number and day between ${from}::date and ${to}::date
            union
            -- A day that is cut.
            select ${to}::date, false, false where ${until !== undefined}::boolean
          ) candidate
          where day >= (select kept_from from hit_retention)
          group by day
        ) by_day
      ) source
      where website.id = ${websiteId}`),
  );
  const [found] = rows;
  if (found === undefined) return undefined;
  if (found.isOutside && !readsInactiveEngine) throw movedAway();
  const { websiteNumber, fromVisits, fromColumns, withUnseenHits, summariesFrom, imports } = found;
  const mismatched =
    withUnseenHits.length > 0 ? await mismatchedDays(transaction, { websiteNumber, days: withUnseenHits }) : [];
  return {
    websiteNumber,
    zone: zoneOf(found, installation),
    fromVisits: {
      ...{ websiteNumber, filters, goals },
      days: [...fromVisits, ...mismatched],
      cut: until && { day: to, until },
    },
    fromColumns: { websiteNumber, days: fromColumns, filters, goals },
    withUnseenHits: withUnseenHits.filter((day) => !mismatched.includes(day)),
    summariesFrom,
    sumsTo: until === undefined ? to : addDays(to, -1),
    imports: allFromVisits || onlyHits ? [] : imports,
  };
}

/** The sources of the day that is cut, and of all other days. */
export function splitCut(sources: DaySources): {
  readonly cutDay: DaySources | undefined;
  readonly wholeDays: DaySources;
} {
  const { fromVisits, fromColumns } = sources;
  const { cut } = fromVisits;
  if (cut === undefined) return { cutDay: undefined, wholeDays: sources };
  const days = fromVisits.days.filter((day) => day !== cut.day);
  return {
    cutDay: {
      ...sources,
      fromVisits: { ...fromVisits, days: fromVisits.days.filter((day) => day === cut.day) },
      fromColumns: { ...fromColumns, days: [] },
    },
    wholeDays: { ...sources, fromVisits: { ...fromVisits, days, cut: undefined } },
  };
}

/** The changes that hits will make which `visit` and the running summaries of these days do not know yet. */
function unseenChanges(days: WebsiteDays): Cte {
  return changedVisits(unseenHits(days).changedHit);
}

/** The days on which unseen hits change visits that do not match the known hits: their differences would be wrong. */
async function mismatchedDays(transaction: Transaction, scope: WebsiteDays): Promise<readonly Day[]> {
  const { changed, changedHit } = unseenHits(scope);
  const oldVisit = cte(
    'old_visit',
    sql`
      select visit.* from ${changed} changed cross join lateral (
        select website_number, day, visitor, pageviews, events from visit
        where website_number = changed.website_number and day = changed.day and visitor = changed.visitor
          and ${inScope('visit', scope)}
        offset 0
      ) visit`,
  );
  const { rows } = await transaction.query(
    once(sql<{ day: Day }>`select distinct day::text as day from (${mismatches(oldVisit, changedHit)}) mismatched`),
  );
  return rows.map(({ day }) => day);
}

/** The marked visitors of these days, and all their hits. */
function unseenHits(scope: WebsiteDays): { readonly changed: Cte; readonly changedHit: Cte } {
  const changed = cte(
    'changed',
    sql`
      select website_number, day, visitor, array_agg(xmin) as batches from changed_visitor
      where ${inScope('changed_visitor', scope)}
      group by website_number, day, visitor`,
    { materialized: true },
  );
  return { changed, changedHit: changedHits(changed, inScope('hit', scope)) };
}

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
  { from, filters }: StatisticsQuery,
  { websiteNumber, zone, fromVisits, withUnseenHits, summariesFrom, sumsTo, imports }: DaySources,
  kinds: readonly Kind[],
  ofSummaries = kinds,
): DayRows {
  const isFiltered = filters.length > 0;
  const valuesOfVisits = () => {
    const hits = sql`select * from hit where ${inScope('hit', fromVisits)}`;
    const { days } = fromVisits;
    return dayValues({ visits: chosenVisits(fromVisits), hits, days, zone, isFolded: !isFiltered }, kinds);
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
              and day between ${summariesFrom}::date and ${sumsTo}::date and day <> all(${fromVisits.days}::date[])`,
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
                and day between ${from}::date and ${sumsTo}::date and import_number = any(${imports}::bigint[])`,
          ),
  };
}

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
    sql`select dimension, value, -visitors, -events, ${NO_GAPS} from summary where ${isOf} and day = any(${excess}::date[])`,
    sql`select ${withoutGaps} from week_summary where ${isOf} and week = any(${weeks}::date[])`,
  ];
  if (fromVisits !== undefined) rows.push(sql`select ${columns}, gaps from ${fromVisits}`);
  if (ofUnseenHits !== undefined) rows.push(sql`select ${columns}, gaps from ${ofUnseenHits}`);
  if (fromImports !== undefined) rows.push(sql`select ${columns}, gaps from ${fromImports}`);
  return sql.join(rows, sql` union all `);
}
