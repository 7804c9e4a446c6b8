import { isId } from '@hitherto/domain/base';
import { addDays, type Day, type TimeZone } from '@hitherto/domain/calendar';
import type {
  ConvertedRow,
  CountedGoal,
  Overview,
  StatisticsQuery,
  StatisticsRepository,
  StepNumbers,
  ValuePage,
} from '@hitherto/domain/engine';
import { DIMENSIONS, type Dimension } from '@hitherto/domain/hits';
import { NO_TOTALS, type SeriesPoint, sumTotals } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { movedAway } from '../../moved-away.ts';
import { cacheCounts } from '../columns/cached-counts.ts';
import type { ConversionNumbers } from '../columns/questions.ts';
import { dayRows } from '../days/day-rows.ts';
import { type DaySources, findDaySources, splitCut } from '../days/day-sources.ts';
import { codeOf, type RowWithGaps, SUMS_WITH_GAPS } from '../summary-columns.ts';
import { cacheHits } from './cached-hits.ts';
import { daysOfBoth, readCountedDays, readCountedTotals } from './counted-values.ts';
import { readFilteredDays } from './filtered-days.ts';
import { readFilteredOverview } from './filtered-overview.ts';
import { hourPoints, readFilteredHours, readFilteredValues } from './filtered-values.ts';
import { pageOfKeyedList, readKeyedList } from './keyed-list.ts';
import { readOverview } from './overview.ts';
import { readPropertyNames, readPropertyValues } from './properties.ts';
import { readConversions, readFunnel, readGoals, readKeptValues } from './question-reads.ts';
import { readValuePage } from './value-list.ts';

const noConversions = ({ sum }: CountedGoal) => ({
  visitors: 0,
  visits: 0,
  conversions: 0,
  sum: sum === null ? null : '0.00',
});
const NO_VALUES: ValuePage = { rows: [], previous: undefined, next: undefined, total: 0 };

/**
 * Reads statistics from PostgreSQL. Days that are over are read from their numbers, large open days from their running summaries, and
 * all other days from visits. A read is a transaction that sees one snapshot, in which every hit is in numbers, in a visit, or its visitor is
 * marked as changed.
 *
 * @param readsInactiveEngine whether to read although an engine outside has the statistics
 */
export function createStatisticsRepository(
  database: Database,
  zone: TimeZone,
  readsInactiveEngine = false,
): StatisticsRepository {
  const reading = { installation: zone, readsInactiveEngine };

  /** Runs `work` on the sources of the query's days; `absent` is the result for an unknown website. */
  const read = <Result>(
    query: StatisticsQuery,
    absent: Result,
    work: (transaction: Transaction, sources: DaySources) => Promise<Result>,
    allFromVisits = query.filters.length > 0,
  ): Promise<Result> =>
    database.transaction(
      async (transaction) => {
        const sources = await findDaySources(transaction, query, { ...reading, allFromVisits });
        return sources === undefined ? absent : work(transaction, sources);
      },
      { snapshot: true },
    );

  const countGoals = cacheCounts<ConversionNumbers>();
  const countFunnels = cacheCounts<readonly StepNumbers[]>();
  const countHits = cacheHits();

  return {
    totals: (query) =>
      read(query, NO_TOTALS, async (transaction, sources) => {
        if (query.filters.length > 0) return sumTotals(await readFilteredDays(transaction, sources));
        // A day that is cut is read from its visits, and this is the fastest way.
        const { cutDay, wholeDays } = splitCut(sources);
        const ofCutDay = cutDay === undefined ? [] : await readFilteredDays(transaction, cutDay);
        if (cutDay !== undefined && query.from === query.to) return sumTotals(ofCutDay);
        const counted = await readCountedTotals(transaction, wholeDays);
        const rows = dayRows(query, wholeDays, ['total']);
        const others = rows === undefined ? [] : daysOfBoth([], await readDayRows(transaction, rows));
        return sumTotals([...ofCutDay, ...counted, ...others]);
      }),

    series: (query, interval) =>
      read<SeriesPoint[]>(query, [], async (transaction, sources) => {
        const isByDay = interval === 'day';
        if (query.filters.length > 0) {
          return isByDay ? readFilteredDays(transaction, sources) : readFilteredHours(transaction, query, sources);
        }
        const rows = dayRows(query, sources, [isByDay ? 'total' : 'hour']);
        if (isByDay) {
          const counted = await readCountedDays(transaction, sources);
          return daysOfBoth(counted, rows === undefined ? [] : await readDayRows(transaction, rows));
        }
        const hours = await readKeyedList(transaction, sources, 'hour', rows);
        const values = await hours.part(0, hours.total);
        return hourPoints(new Map(values.map(({ value, ...totals }) => [value, totals])));
      }),

    values: (query, dimension: Dimension, limit, position) =>
      read(query, NO_VALUES, async (transaction, sources) => {
        if (query.filters.length > 0) {
          return readFilteredValues(transaction, query, sources, dimension, limit, position);
        }
        const rows = dayRows(query, sources, [dimension]);
        // Without stored numbers to add to, the database need not return all values.
        if (rows !== undefined && sources.counted.length === 0)
          return readValuePage(transaction, rows, limit, position);
        return pageOfKeyedList(await readKeyedList(transaction, sources, dimension, rows), limit, position);
      }),

    overview: (query, dimensions, limit) => {
      const none = { rows: [], total: 0 };
      const absent = { days: [], values: new Map(dimensions.map((dimension) => [dimension, none])) };
      return read<Overview>(query, absent, async (transaction, sources) => {
        if (query.filters.length > 0) return readFilteredOverview(transaction, sources, dimensions, limit);
        const rows = dayRows(query, sources, ['total', ...dimensions]);
        return readOverview(transaction, sources, rows, dimensions, limit);
      });
    },

    propertyValues: (query, event, property, limit, position) =>
      read(
        query,
        NO_VALUES,
        (transaction, sources) => readPropertyValues(transaction, sources, event, property, limit, position),
        true,
      ),

    propertyNames: (query, event) =>
      read<string[]>(query, [], (transaction, sources) => readPropertyNames(transaction, sources, event), true),

    goals: (query, goals) =>
      read(
        query,
        goals.map(noConversions),
        (transaction, sources) => readGoals(transaction, sources, goals, countGoals, countHits),
        true,
      ),

    funnel: (query, steps) =>
      read(
        query,
        steps.map(() => ({ visits: 0, visitors: 0 })),
        (transaction, sources) => readFunnel(transaction, sources, steps, countFunnels, countHits),
        true,
      ),

    conversions: (query, goal, by, values) =>
      read<readonly ConvertedRow[]>(
        query,
        [],
        async (transaction, sources) => {
          const dimension = query.filters.length === 0 ? DIMENSIONS.find((name) => name === by) : undefined;
          const ofList = dimension && (await findDaySources(transaction, query, { ...reading, allFromVisits: false }));
          const kept = dimension && ofList && (await readKeptValues(transaction, query, ofList, dimension));
          return readConversions(transaction, sources, goal, by, values, kept);
        },
        true,
      ),

    async visitorsBetween(websiteId, since, until) {
      if (!isId(websiteId)) return 0;
      // A day begins up to 14 hours earlier than in UTC. The bound keeps PostgreSQL from reading other months.
      const firstDay = addDays(since.toISOString().slice(0, 10), -1);
      const [row] = await database.read(
        once(sql<{ visitors: number; isOutside: boolean }>`
          select count(distinct visitor)::double precision as visitors,
            (select is_outside from statistics_engine) as "isOutside" from hit
          where website_number = (select number from website where id = ${websiteId})
            and time between ${since} and ${until} and day >= ${firstDay}::date`),
      );
      if (row?.isOutside && !readsInactiveEngine) throw movedAway();
      return row?.visitors ?? 0;
    },

    async hasSums(websiteId, day) {
      if (!isId(websiteId)) return false;
      const [row] = await database.read(
        once(sql<{ hasSums: boolean; isOutside: boolean }>`
          select (select is_outside from statistics_engine) as "isOutside",
            exists (
              select from day_numbers where website_number = website.number and not is_month and kind = ${codeOf('total')}
                and day = ${day}::date and day < (select kept_from from hit_retention)
            ) or exists (
              select from import join import_day on import_number = import.number
              where website_number = website.number and status = 'done' and counts -> 'sums' is not null
                and day = ${day}::date
            ) as "hasSums"
          from website where id = ${websiteId}`),
      );
      if (row?.isOutside && !readsInactiveEngine) throw movedAway();
      return row?.hasSums ?? false;
    },

    async firstDay(websiteId) {
      if (!isId(websiteId)) return undefined;
      const [row] = await database.read(
        once(sql<{ day: Day | null; isOutside: boolean }>`
          select (select is_outside from statistics_engine) as "isOutside", least(
            (select min(day) from website_day where website_number = website.number),
            (select min(day) from import join import_day on import_number = import.number
              where website_number = website.number and status = 'done' and counts -> 'sums' is not null),
            (select min(day) from changed_visitor where website_number = website.number
              and day >= (select kept_from from hit_retention))
          )::text as day
          from website where id = ${websiteId}`),
      );
      if (row?.isOutside && !readsInactiveEngine) throw movedAway();
      return row?.day ?? undefined;
    },
  };
}

/** Reads the days of rows. */
async function readDayRows(transaction: Transaction, rows: RawBuilder<unknown>) {
  const { rows: days } = await transaction.query(
    once(sql<RowWithGaps & { start: Day }>`
      select day::text as start, ${SUMS_WITH_GAPS} from (${rows}) row group by start`),
  );
  return days;
}
