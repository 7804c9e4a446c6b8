import type { TimeZone } from '@hitherto/domain/calendar';
import type { StatisticsMaintenance } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import type { PartLimits } from '../part-limits.ts';
import { hasDay } from '../website-days.ts';
import { dayIsOver } from '../zones.ts';
import { analyse, analyseUnknownTables, DERIVED } from './analyse.ts';
import { countAddedRows, countHits } from './count-hits.ts';
import { eraseDay } from './erase.ts';
import { forget } from './forget.ts';
import type { Keeping } from './keeping.ts';
import { rebuild } from './rebuild.ts';
import { readKeptFrom } from './retention.ts';
import { IS_UNSTORED } from './store-days.ts';
import { IS_UNSUMMARISED } from './summarise.ts';
import { tryWorkLock, waitForWorkLock } from './work-lock.ts';

/** The number of hits from which tables are analysed after a rebuild; autovacuum notices smaller changes in time. */
const BULK = 20_000;

/**
 * With this many rows, hits are added up immediately. Fewer are gathered for a while: the statement costs as much for one as for a
 * hundred. Reads add up the others.
 */
const MANY_ROWS = 2_000;
const SECOND_MS = 1_000;
const GATHER_MS = 20 * SECOND_MS;
const MINUTE_MS = 60 * SECOND_MS;

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
    while (await keeping.storeDays(now, 'waits'));
    while (await keeping.summarise(now, 'waits'));
  };

  /** Mostly, no day is left: then no thread is started. */
  const isLeft = async (now: Date, condition: RawBuilder<unknown>): Promise<boolean> =>
    hasDay(database, sql`${condition} and ${await dayIsOver(database, zone, now)}`);

  const settle = async (now: Date): Promise<void> => {
    while (await countHits(database, waitForWorkLock));
    await closeDays(now);
    await analyseUnknownTables(database, waitForWorkLock);
  };

  const countGatheredHits = () => {
    let gatherUntil = 0;
    return async (): Promise<boolean> => {
      const rows = await countAddedRows(database, MANY_ROWS);
      if (rows === 0 || (rows < MANY_ROWS && performance.now() < gatherUntil)) return false;
      gatherUntil = performance.now() + GATHER_MS;
      return countHits(database, tryWorkLock);
    };
  };

  return {
    jobs: (now) => [
      { name: 'count hits', every: 2 * SECOND_MS, work: countGatheredHits() },
      {
        name: 'store days',
        every: 20 * SECOND_MS,
        work: async () => (await isLeft(now(), IS_UNSTORED)) && keeping.storeDays(now(), 'tries'),
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
      const { days, hits } = await rebuild(database, scope, limits, () => closeDays(now), onProgress);
      if (hits >= BULK) await analyse(database, waitForWorkLock, DERIVED);
      await settle(now);
      onProgress({ done: days, total: days });
      return days;
    },
  };
}
