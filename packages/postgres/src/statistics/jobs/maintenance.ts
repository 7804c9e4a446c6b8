import { dayOf, type TimeZone } from '@hitherto/domain/calendar';
import type { StatisticsMaintenance } from '@hitherto/domain/engine';
import type { Database } from '../../connection/database.ts';
import { dayIsOver } from '../zones.ts';
import { analyse, analyseUnknownTables, DERIVED } from './analyse.ts';
import { forget } from './forget.ts';
import { preparePartitions } from './partitions.ts';
import { rebuild } from './rebuild.ts';
import { deleteHitsBefore, readKeptFrom } from './retention.ts';
import { keepRunningSummaries, type RunningSummaryLimits } from './running-summaries.ts';
import { type ColumnLimits, storeColumns } from './store-columns.ts';
import { summarise } from './summarise.ts';
import { countMarks, updateVisits } from './update-visits.ts';
import { type TakeLock, tryWorkLock, waitForWorkLock } from './work-lock.ts';

/** The number of hits from which tables are analysed after a rebuild; autovacuum notices smaller changes in time. */
const BULK = 20_000;

/**
 * With this many marked visitors, visits are updated immediately. Fewer are gathered for a while: the statement costs as much for
 * one as for a hundred, and the hits of a visit arrive one by one. Reads compute the hits that are not in visits yet.
 */
const MANY_MARKS = 2_000;
const SECOND_MS = 1_000;
const GATHER_MS = 20 * SECOND_MS;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The upkeep of statistics in PostgreSQL. Each piece of work is a transaction under one advisory lock; while another
 * instance has the lock, the regular work has nothing to do.
 *
 * @param zone of websites without their own
 */
export function createStatisticsMaintenance(
  database: Database,
  zone: TimeZone,
  limits: RunningSummaryLimits,
  columnLimits: ColumnLimits,
): StatisticsMaintenance {
  const summariseOnce = async (now: Date, takeLock: TakeLock): Promise<boolean> => {
    const isOver = await dayIsOver(database, zone, now);
    if (await summarise(database, zone, isOver, takeLock)) return true;
    return keepRunningSummaries(database, zone, isOver, limits, takeLock);
  };

  const settle = async (now: Date): Promise<void> => {
    await preparePartitions(database, dayOf(zone, now), waitForWorkLock);
    while (await updateVisits(database, zone, waitForWorkLock));
    while (await summariseOnce(now, waitForWorkLock));
    while (await storeColumns(database, columnLimits, waitForWorkLock));
    await analyseUnknownTables(database, waitForWorkLock);
  };

  const updateGatheredVisits = () => {
    let gatherUntil = 0;
    return async (): Promise<boolean> => {
      const marks = await countMarks(database, MANY_MARKS);
      if (marks === 0 || (marks < MANY_MARKS && performance.now() < gatherUntil)) return false;
      gatherUntil = performance.now() + GATHER_MS;
      return updateVisits(database, zone, tryWorkLock);
    };
  };

  return {
    jobs: (now) => [
      {
        name: 'prepare partitions',
        every: HOUR_MS,
        work: async () => {
          await preparePartitions(database, dayOf(zone, now()), tryWorkLock);
          return false;
        },
      },
      { name: 'update visits', every: 2 * SECOND_MS, work: updateGatheredVisits() },
      { name: 'summarise days', every: 20 * SECOND_MS, work: () => summariseOnce(now(), tryWorkLock) },
      {
        name: 'store columns',
        every: 20 * SECOND_MS,
        work: () => storeColumns(database, columnLimits, tryWorkLock),
      },
      {
        name: 'analyse tables',
        every: MINUTE_MS,
        work: async () => {
          await analyseUnknownTables(database, tryWorkLock);
          return false;
        },
      },
    ],

    settle,
    forget: (websiteId) => forget(database, websiteId),
    deleteHitsBefore: (day) => deleteHitsBefore(database, zone, day),
    keptFrom: () => readKeptFrom(database),

    async rebuild(scope, now, onProgress = () => {}) {
      const { days, hits } = await rebuild(database, zone, scope, now, onProgress);
      if (hits >= BULK) await analyse(database, waitForWorkLock, DERIVED);
      await settle(now);
      onProgress({ done: days, total: days });
      return days;
    },
  };
}
