import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres } from '@hitherto/adapters/postgres';
import type { StatisticsMaintenance } from '@hitherto/domain';
import { withClient } from '../database.ts';
import { assertGood, type Measured, startLoad } from '../load/measure.ts';
import type { RunningVariant } from '../variants.ts';
import { createHits, type HitWebsite, hitRequest } from './hits.ts';

/** Hits collected while something else ran. */
export interface PauseResult {
  /** How long that took. */
  readonly seconds: number;
  readonly p99: number;
  /** The longest time from when a hit was due until its response, in milliseconds. */
  readonly longest: number;
}

export const PAUSE_HITS_PER_SECOND = 500;
const PAUSE_CONNECTIONS = 64;

/** Collects hits of another website while `work` runs. */
export async function collectDuring(
  server: RunningVariant,
  website: HitWebsite,
  work: () => Promise<unknown>,
): Promise<PauseResult> {
  const hits = createHits([website], 7);
  const load = startLoad({
    url: server.url,
    connections: PAUSE_CONNECTIONS,
    perSecond: PAUSE_HITS_PER_SECOND,
    next: () => hitRequest(hits()),
  });
  const start = performance.now();
  let measured: Measured;
  try {
    await work();
  } finally {
    measured = await load.end();
  }
  const { p99, longest } = assertGood(measured);
  return { seconds: (performance.now() - start) / 1_000, p99, longest };
}

/** Runs a piece of background work again and again, as the service does, until the query finds a row. */
export async function maintainUntil(
  databaseUrl: string,
  work: (maintenance: StatisticsMaintenance) => Promise<boolean>,
  query: string,
  values: readonly unknown[],
): Promise<void> {
  const repositories = openPostgres({ connection: databaseUrl, log: () => {} });
  try {
    await withClient(databaseUrl, async (client) => {
      while ((await client.query(query, [...values])).rowCount === 0) {
        // Nothing to do, or the service itself does it just now.
        if (!(await work(repositories.maintenance))) await sleep(100);
      }
    });
  } finally {
    await repositories.close();
  }
}
