import type { EngineHit, HitJournal, StatisticsStore, WebsiteDay } from '@hitherto/domain/engine';
import type { ClickHouse } from '../connection/client.ts';
import { raw, sql } from '../connection/sql.ts';
import { type HandOver, handOverAll, insertHits } from '../hand-over/hand-over.ts';
import { daysWithHits, rebuildDays } from '../jobs/rebuild.ts';
import { isOfAny } from '../jobs/website-days.ts';
import { counts, readKeptFrom } from '../reading/day-forms.ts';
import { storedTable, type TableName } from '../tables/tables.ts';
import { makeVisits } from '../visits/make-visits.ts';
import { readImportedSums, replaceImportedSums } from './imported-sums.ts';
import { identify, isOfVisitors, readDays, readVisitors } from './moved-hits.ts';
import { readOldSummaries, replaceOldSummaries } from './old-summaries.ts';

type StoreJournal = Pick<HitJournal, 'exclusively' | 'findWebsite' | 'findZones' | 'importNumbers' | 'waiting'>;

/** The tables of statistics. */
const STORED: readonly TableName[] = ['hit', 'visitor_day', 'summary', 'imported_sum', 'retention'];

/** The store of the engine in ClickHouse. */
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

    async *hitsOf(days) {
      yield* readDays(server, days, counts(await journal.importNumbers('done')));
    },

    async replaceDays(days: readonly WebsiteDay[], hits: AsyncIterable<readonly EngineHit[]>) {
      const withHits = new Set<string>();
      for await (const piece of hits) {
        await insertHits(server, identify(piece));
        for (const { website, day } of piece) withHits.add(`${website} ${day}`);
      }
      const isFilled = ({ website, day }: WebsiteDay) => withHits.has(`${website} ${day}`);
      const [filled, empty] = [days.filter(isFilled), days.filter((day) => !isFilled(day))];
      if (filled.length > 0) await journal.exclusively((version) => rebuildDays(server, cluster, filled, version));
      if (empty.length === 0) return;
      for (const table of ['hit', 'visitor_day', 'summary'] as const) {
        await server.write(sql`delete from ${storedTable(table, cluster)} where ${isOfAny(empty)}`);
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

    keptFrom: () => readKeptFrom(server),

    oldSummaries: () => readOldSummaries(server, journal),

    replaceOldSummaries: (keptFrom, summaries) =>
      journal.exclusively((version) => replaceOldSummaries(server, version, keptFrom, summaries)),

    async *importedSums() {
      yield* readImportedSums(server, await journal.importNumbers('done'));
    },

    replaceImportedSums: (sums) => replaceImportedSums(server, cluster, sums),

    async clear() {
      for (const table of STORED) {
        const { text } = storedTable(table, cluster);
        await server.write(raw(`truncate table ${text}`));
      }
    },
  };
}
