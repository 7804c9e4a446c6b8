import type { HitJournal, MovedHit, StatisticsStore, WebsiteDay } from '@hitherto/domain';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, raw, sql } from '../connection/sql.ts';
import { type HandOver, handOverAll, insertHits } from '../hand-over/hand-over.ts';
import { daysWithHits, rebuildDays } from '../jobs/rebuild.ts';
import { counts, KEPT_FROM } from '../reading/day-sources.ts';
import { storedTable, type TableName } from '../tables/tables.ts';
import { makeVisits } from '../visits/make-visits.ts';
import { identify, isOfVisitors, readDay, readVisitors } from './moved-hits.ts';
import { readOldSummaries, replaceOldSummaries } from './old-summaries.ts';

type StoreJournal = Pick<HitJournal, 'exclusively' | 'findWebsite' | 'findZones' | 'importNumbers' | 'waiting'>;

/** The tables of statistics. */
const STORED: readonly TableName[] = ['hit', 'visitor_day', 'summary', 'retention'];

/** What the engine in ClickHouse stores. */
export function createStatisticsStore(
  server: ClickHouse,
  journal: StoreJournal,
  handOver: HandOver,
  cluster: string | undefined,
): StatisticsStore {
  return {
    async days() {
      await handOverAll(journal, handOver);
      return daysWithHits(server, journal, {});
    },

    async *hitsOf(day) {
      yield* readDay(server, day, counts(await journal.importNumbers('done')));
    },

    async replaceDay({ website, day }: WebsiteDay, hits: AsyncIterable<readonly MovedHit[]>) {
      const isOfDay = sql`website = ${website} and day = ${dayLiteral(day)}`;
      let count = 0;
      for await (const piece of hits) {
        await insertHits(server, identify(piece));
        count += piece.length;
      }
      if (count > 0) {
        return journal.exclusively((version) => rebuildDays(server, cluster, [{ website, day, hits: count }], version));
      }
      for (const table of ['hit', 'visitor_day', 'summary'] as const) {
        await server.write(sql`delete from ${storedTable(table, cluster)} where ${isOfDay}`);
      }
    },

    async hitsOfVisitors(visitors) {
      await handOverAll(journal, handOver);
      return readVisitors(server, visitors, counts(await journal.importNumbers('done')));
    },

    async replaceVisitors(visitors, hits) {
      await insertHits(server, identify(hits));
      await journal.exclusively((version) => server.write(makeVisits(isOfVisitors(visitors), version)));
    },

    async keptFrom() {
      const [row] = await server.read<{ day: string }>(sql`select ${KEPT_FROM} as day`);
      return row?.day ?? '';
    },

    oldSummaries: () => readOldSummaries(server, journal),

    replaceOldSummaries: (keptFrom, summaries) =>
      journal.exclusively((version) => replaceOldSummaries(server, version, keptFrom, summaries)),

    async clear() {
      for (const table of STORED) {
        const { text } = storedTable(table, cluster);
        await server.write(raw(`truncate table ${text}`));
      }
    },
  };
}
