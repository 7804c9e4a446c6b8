import { setTimeout as sleep } from 'node:timers/promises';
import { assertGood, measureLoad, startLoad } from '../load/measure.ts';
import type { RunningVariant } from '../variants.ts';
import { createHits, getRequest, hitRequest } from './hits.ts';
import type { StatisticsPlan } from './plan.ts';
import { CONNECTIONS } from './rates.ts';
import type { AddedWebsites } from './websites.ts';

/** The p99 of an operation of the API by round, in milliseconds: alone, and while hits are collected. */
export interface BesideResult {
  readonly operation: 'show' | 'list';
  readonly alone: readonly number[];
  readonly beside: readonly number[];
}

export const BESIDE_HITS_PER_SECOND = 2_000;
/** Requests of the API a second. */
export const API_PER_SECOND = 100;
const API_CONNECTIONS = 8;
const SETTLE_MS = 500;

/** Measures show and list, each alone and beside collected hits, in turns. */
export async function measureBeside(
  server: RunningVariant,
  { key, websites }: AddedWebsites,
  plan: StatisticsPlan,
): Promise<BesideResult[]> {
  const headers = { authorization: `Bearer ${key}` };
  const hits = createHits(websites, 5);
  const requests = { show: `/api/v1/websites/${websites[0]?.id}`, list: '/api/v1/websites?per_page=25' } as const;
  const results = {
    show: { alone: [] as number[], beside: [] as number[] },
    list: { alone: [] as number[], beside: [] as number[] },
  };
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const operation of ['show', 'list'] as const) {
      const next = () => getRequest(requests[operation], headers);
      const load = { url: server.url, connections: API_CONNECTIONS, perSecond: API_PER_SECOND, next };
      const alone = await measureLoad(load, plan.seconds);
      const collecting = startLoad({
        url: server.url,
        connections: CONNECTIONS,
        perSecond: BESIDE_HITS_PER_SECOND,
        next: () => hitRequest(hits()),
      });
      await sleep(SETTLE_MS);
      const beside = await measureLoad(load, plan.seconds);
      assertGood(await collecting.end());
      results[operation].alone.push(alone.p99);
      results[operation].beside.push(beside.p99);
      plan.progress(
        `beside ${BESIDE_HITS_PER_SECOND} hits/s: ${operation}: p99 ${beside.p99.toFixed(1)} ms, alone ${alone.p99.toFixed(1)} ms`,
      );
    }
  }
  return (['show', 'list'] as const).map((operation) => ({ operation, ...results[operation] }));
}
