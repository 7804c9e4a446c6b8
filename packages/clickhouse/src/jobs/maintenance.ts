import { addDays } from '@hitherto/domain/calendar';
import type { HitJournal, StatisticsMaintenance } from '@hitherto/domain/engine';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, sql } from '../connection/sql.ts';
import { type HandOver, handOverAll } from '../hand-over/hand-over.ts';
import { readKeptFrom } from '../reading/day-forms.ts';
import { deleteUnknownImports } from './delete-imports.ts';
import { eraseDay } from './erase.ts';
import { forget, freeDisk } from './forget.ts';
import { rebuild } from './rebuild.ts';
import { deleteHitsBefore } from './retention.ts';
import { isOver, summarise } from './summarise.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** How long the journal keeps hits that were handed over. */
const JOURNAL_MS = 48 * HOUR_MS;
/** Days that may have become over since the last look. */
const RECENT_DAYS = 3;

const EVERY_DAY = sql`true`;

/** The upkeep of statistics in ClickHouse. */
export function createStatisticsMaintenance(
  server: ClickHouse,
  journal: HitJournal,
  handOver: HandOver,
  cluster: string | undefined,
): StatisticsMaintenance {
  /** Visits up to this version have been looked at. */
  let seen = 0n;

  const summariseOnce = async (now: Date): Promise<boolean> => {
    const recent = dayLiteral(addDays(now.toISOString().slice(0, 10), -RECENT_DAYS));
    const version = await journal.latestVersion();
    const among = sql`(version > ${seen} or day >= ${recent})`;
    if (await summarise(server, journal, among, isOver(now))) return true;
    seen = version;
    return false;
  };

  const settle = async (now: Date): Promise<void> => {
    await handOverAll(journal, handOver);
    while (await summarise(server, journal, EVERY_DAY, isOver(now)));
  };

  return {
    jobs: (now) => [
      {
        name: 'hand over hits',
        every: SECOND_MS,
        work: async () => ((await journal.waiting()) === undefined ? false : handOver()),
      },
      { name: 'summarise days', every: MINUTE_MS, work: () => summariseOnce(now()) },
      {
        name: 'delete hits that were handed over',
        every: 10 * MINUTE_MS,
        work: () => journal.deleteBefore(new Date(now().getTime() - JOURNAL_MS)),
      },
      {
        name: 'free the disk of deleted rows',
        every: 24 * HOUR_MS,
        work: async () => {
          await deleteUnknownImports(server, journal, cluster);
          await freeDisk(server, cluster);
          return false;
        },
      },
    ],

    settle,

    async forget(websiteId) {
      await forget(server, journal, cluster, websiteId);
      return false;
    },

    async deleteHitsBefore(day) {
      await handOverAll(journal, handOver);
      return deleteHitsBefore(server, journal, cluster, day);
    },

    async erase(websiteId, day, rule) {
      await handOverAll(journal, handOver);
      await eraseDay(server, journal, cluster, websiteId, day, rule);
    },

    keptFrom: () => readKeptFrom(server),

    async rebuild(scope, now, onProgress = () => {}) {
      // Restores lost rows; rows that were not lost still count once.
      await journal.repeatSince(new Date(now.getTime() - JOURNAL_MS));
      await handOverAll(journal, handOver);
      const days = await rebuild(server, journal, cluster, scope, onProgress);
      await settle(now);
      onProgress({ done: days, total: days });
      return days;
    },
  };
}
