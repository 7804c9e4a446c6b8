import type { TimeZone } from '@hitherto/domain/calendar';
import {
  glanceByReads,
  type StatisticsReads,
  type StatisticsRepository,
  type WebsitePeriod,
} from '@hitherto/domain/engine';
import type { Database } from '../../connection/database.ts';
import { createFirstHits } from './glance-hits.ts';
import { readGlances } from './glances.ts';
import { createQueues } from './queues.ts';
import { openReads } from './reads.ts';
import { createVisitCounts } from './visit-counts.ts';

/** A period without a day, for what is known of the website itself. */
const NO_DAYS = { from: '1970-01-02', to: '1970-01-01' } as const;

/**
 * Reads statistics from PostgreSQL. Days that are over are read from their numbers, all others are counted from their hits. A
 * reading is a transaction that sees one snapshot.
 *
 * @param readsInactiveEngine whether to read although an engine outside has the statistics
 */
export function createStatisticsRepository(
  database: Database,
  installation: TimeZone,
  readsInactiveEngine = false,
): StatisticsRepository {
  const counts = createVisitCounts();
  const firstHits = createFirstHits();
  const read = createQueues();

  const reading = <Result>(of: WebsitePeriod, work: (reads: StatisticsReads) => Promise<Result>): Promise<Result> =>
    read(of.websiteId, () =>
      database.transaction(
        async (transaction) => {
          const { reads, end } = openReads(transaction, counts, { of, installation, readsInactiveEngine, firstHits });
          return work(reads).finally(end);
        },
        { snapshot: true },
      ),
    );

  return {
    reading,
    totals: (query) => reading(query, (reads) => reads.totals(query)),
    series: (query, interval) => reading(query, (reads) => reads.series(query, interval)),
    visitorsByHour: (query) => reading(query, (reads) => reads.visitorsByHour(query)),
    values: (query, ...list) => reading(query, (reads) => reads.values(query, ...list)),
    overview: (query, ...lists) => reading(query, (reads) => reads.overview(query, ...lists)),
    changes: (query, ...compared) => reading(query, (reads) => reads.changes(query, ...compared)),
    propertyValues: (query, ...list) => reading(query, (reads) => reads.propertyValues(query, ...list)),
    propertyNames: (query, event) => reading(query, (reads) => reads.propertyNames(query, event)),
    goals: (query, goals) => reading(query, (reads) => reads.goals(query, goals)),
    funnel: (query, funnel) => reading(query, (reads) => reads.funnel(query, funnel)),
    conversions: (query, ...goal) => reading(query, (reads) => reads.conversions(query, ...goal)),
    visitorsBetween: (websiteId, ...span) =>
      reading({ websiteId, ...NO_DAYS }, (reads) => reads.visitorsBetween(websiteId, ...span)),
    live: (websiteId, ...span) => reading({ websiteId, ...NO_DAYS }, (reads) => reads.live(websiteId, ...span)),
    hasSums: (websiteId, day) => reading({ websiteId, from: day, to: day }, (reads) => reads.hasSums(websiteId, day)),
    hidingRules: (websiteId) => reading({ websiteId, ...NO_DAYS }, (reads) => reads.hidingRules(websiteId)),
    firstDay: (websiteId) => reading({ websiteId, ...NO_DAYS }, (reads) => reads.firstDay(websiteId)),
    // They need no days of other readings, so none waits for another.
    async glances(queries) {
      const find = () =>
        database.transaction((transaction) => readGlances(transaction, queries, readsInactiveEngine, firstHits), {
          snapshot: true,
        });
      const glances = (await find()).map(async ({ hasRules, ...glance }, index) => {
        const query = queries[index];
        if (!hasRules || query === undefined) return glance;
        return { ...glance, ...(await reading(query, (reads) => glanceByReads(reads, query))) };
      });
      return Promise.all(glances);
    },
  };
}
