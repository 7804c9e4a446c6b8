import { isId, unavailable } from '@hitherto/domain/base';
import { addDays, type Day, type TimeZone } from '@hitherto/domain/calendar';
import type {
  ConvertedRow,
  CountedGoal,
  Overview,
  StatisticsQuery,
  StatisticsRepository,
  ValuePage,
} from '@hitherto/domain/engine';
import { DIMENSIONS } from '@hitherto/domain/hits';
import { NO_TOTALS, type SeriesPoint, sumTotals } from '@hitherto/domain/visits';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import { DATABASE_TIMEOUTS } from '../../connection/timeouts.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { movedAway } from '../../moved-away.ts';
import { type DaySources, findDaySources } from '../days/day-sources.ts';
import { BeginAgain } from '../open-days/open-days.ts';
import { codeOf } from '../summary-columns.ts';
import { readDays, readFilteredDays, readTotals } from './days.ts';
import { readHours, readOverview, readValues } from './lists.ts';
import {
  readConversions,
  readFunnel,
  readGoals,
  readKeptValues,
  readPropertyNames,
  readPropertyValues,
} from './questions.ts';
import { createVisitCounts } from './visit-counts.ts';

const noConversions = ({ sum }: CountedGoal) => ({
  visitors: 0,
  visits: 0,
  conversions: 0,
  sum: sum === null ? null : '0.00',
});
const NO_VALUES: ValuePage = { rows: [], previous: undefined, next: undefined, total: 0 };

/**
 * Reads statistics from PostgreSQL. Days that are over are read from their numbers, all others are counted from their hits. A read
 * is a transaction that sees one snapshot.
 *
 * @param readsInactiveEngine whether to read although an engine outside has the statistics
 */
export function createStatisticsRepository(
  database: Database,
  zone: TimeZone,
  readsInactiveEngine = false,
): StatisticsRepository {
  const counts = createVisitCounts();
  const reading = { installation: zone, readsInactiveEngine };

  /** Runs `work` on the sources of the query's days; `absent` is the result for an unknown website. */
  const read = <Result>(
    query: StatisticsQuery,
    absent: Result,
    work: (transaction: Transaction, sources: DaySources) => Promise<Result>,
    allFromVisits = query.filters.length > 0,
  ): Promise<Result> =>
    startedAgain(() =>
      database.transaction(
        async (transaction) => {
          const sources = await findDaySources(transaction, query, { ...reading, allFromVisits });
          return sources === undefined ? absent : work(transaction, sources);
        },
        { snapshot: true },
      ),
    );

  return {
    totals: (query) =>
      read(query, NO_TOTALS, async (transaction, sources) =>
        query.filters.length > 0
          ? sumTotals(await readFilteredDays(transaction, sources, counts))
          : readTotals(transaction, query, sources, counts),
      ),

    series: (query, interval) =>
      read<SeriesPoint[]>(query, [], (transaction, sources) => {
        if (interval === 'hour') return readHours(transaction, query, sources, counts);
        return query.filters.length > 0
          ? readFilteredDays(transaction, sources, counts)
          : readDays(transaction, query, sources, counts);
      }),

    values: (query, dimension, limit, position) =>
      read(query, NO_VALUES, (transaction, sources) =>
        readValues(transaction, query, sources, counts, dimension, limit, position),
      ),

    overview: (query, dimensions, limit) => {
      const none = { rows: [], total: 0 };
      const absent = { days: [], values: new Map(dimensions.map((dimension) => [dimension, none])) };
      return read<Overview>(query, absent, (transaction, sources) =>
        readOverview(transaction, query, sources, counts, dimensions, limit),
      );
    },

    propertyValues: (query, event, property, limit, position) =>
      read(
        query,
        NO_VALUES,
        (transaction, { visits }) => readPropertyValues(transaction, visits, counts, event, property, limit, position),
        true,
      ),

    propertyNames: (query, event) =>
      read<string[]>(
        query,
        [],
        (transaction, { visits }) => readPropertyNames(transaction, visits, counts, event),
        true,
      ),

    goals: (query, goals) =>
      read(
        query,
        goals.map(noConversions),
        (transaction, { visits }) => readGoals(transaction, visits, counts, goals),
        true,
      ),

    funnel: (query, steps) =>
      read(
        query,
        steps.map(() => ({ visits: 0, visitors: 0 })),
        (transaction, { visits }) => readFunnel(transaction, visits, counts, steps),
        true,
      ),

    conversions: (query, goal, by, values) =>
      read<readonly ConvertedRow[]>(
        query,
        [],
        async (transaction, { visits }) => {
          const dimension = query.filters.length === 0 ? DIMENSIONS.find((name) => name === by) : undefined;
          const ofList = dimension && (await findDaySources(transaction, query, { ...reading, allFromVisits: false }));
          const kept = dimension && ofList && (await readKeptValues(transaction, ofList, counts, dimension));
          return readConversions(transaction, visits, counts, goal, by, values, kept ?? new Map());
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
            (select min(day) from added_hits where website_number = website.number
              and day >= (select kept_from from hit_retention))
          )::text as day
          from website where id = ${websiteId}`),
      );
      if (row?.isOutside && !readsInactiveEngine) throw movedAway();
      return row?.day ?? undefined;
    },
  };
}

/** How long a read may begin again. */
const LONGEST_MS = DATABASE_TIMEOUTS.statisticsStatement;

async function startedAgain<Result>(work: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BeginAgain)) throw error;
      if (performance.now() - start > LONGEST_MS) throw unavailable('Too many reads of these statistics are waiting.');
      await error.ready;
    }
  }
}
