import type { TimeZone } from '@hitherto/domain/calendar';
import type { StatisticsMaintenance } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import type { PartLimits } from '../part-limits.ts';
import { hasDay } from '../website-days.ts';
import { dayIsOver } from '../zones.ts';
import { analyse, analyseUnknownTables, DERIVED } from './analyse.ts';
import { eraseDay } from './erase.ts';
import { forget } from './forget.ts';
import { countWaiting } from './hand-over.ts';
import { IS_UNJOINED } from './join-days.ts';
import type { Keeping } from './keeping.ts';
import { rebuild } from './rebuild.ts';
import { readKeptFrom } from './retention.ts';
import { IS_UNSUMMARISED } from './summarise.ts';
import { tryWorkLock, waitForWorkLock } from './work-lock.ts';

/** The number of hits from which tables are analysed after a rebuild; autovacuum notices smaller changes in time. */
const BULK = 20_000;

/**
 * With this many hits in the journal, they are handed over immediately. Fewer wait for hours, so that the parts of small websites
 * have some hits: a part has a row. Reads count hits that wait.
 */
const MANY_HITS = 5_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const WAIT_MS = 6 * 60 * MINUTE_MS;

/**
 * The upkeep of statistics in PostgreSQL. Each piece of work is a transaction under one advisory lock; while another
 * instance has the lock, the regular work has nothing to do.
 *
 * @param zone of websites without their own
 * @param keeping does the work that takes long
 */
export function createStatisticsMaintenance(
  database: Database,
  zone: TimeZone,
  limits: PartLimits,
  keeping: Keeping,
): StatisticsMaintenance {
  const closeDays = async (now: Date): Promise<void> => {
    while (await keeping.joinDays(now, 'waits'));
    while (await keeping.summarise(now, 'waits'));
  };

  /** Mostly, no day is left: then no thread is started. */
  const isLeft = async (now: Date, condition: RawBuilder<unknown>): Promise<boolean> =>
    hasDay(database, sql`${condition} and ${await dayIsOver(database, zone, now)}`);

  const settle = async (now: Date): Promise<void> => {
    while (await keeping.handOver('waits'));
    await closeDays(now);
    await analyseUnknownTables(database, waitForWorkLock);
  };

  const handOverGathered = () => {
    let waitUntil = 0;
    return async (): Promise<boolean> => {
      const hits = await countWaiting(database);
      if (hits === 0 || (hits < MANY_HITS && performance.now() < waitUntil)) return false;
      const isLeft = await keeping.handOver('tries');
      // Else another instance has the lock, and does something else.
      if (isLeft || (await countWaiting(database)) < hits) waitUntil = performance.now() + WAIT_MS;
      return isLeft;
    };
  };

  return {
    jobs: (now) => [
      { name: 'hand over hits', every: 2 * SECOND_MS, work: handOverGathered() },
      {
        name: 'join days',
        every: 20 * SECOND_MS,
        work: async () => (await isLeft(now(), IS_UNJOINED)) && keeping.joinDays(now(), 'tries'),
      },
      {
        name: 'summarise days',
        every: 20 * SECOND_MS,
        work: async () => (await isLeft(now(), IS_UNSUMMARISED)) && keeping.summarise(now(), 'tries'),
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
    deleteHitsBefore: keeping.deleteHitsBefore,
    erase: (websiteId, day, rule) => eraseDay(database, websiteId, day, rule),
    keptFrom: () => readKeptFrom(database),

    async rebuild(scope, now, onProgress = () => {}) {
      while (await keeping.handOver('waits'));
      const { days, hits } = await rebuild(database, scope, limits, () => closeDays(now), onProgress);
      if (hits >= BULK) await analyse(database, waitForWorkLock, DERIVED);
      await settle(now);
      onProgress({ done: days, total: days });
      return days;
    },
  };
}
