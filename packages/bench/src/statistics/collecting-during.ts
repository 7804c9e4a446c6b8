import { startLoad } from '../load/measure.ts';
import type { Run } from '../run.ts';
import type { RunningServer } from '../servers.ts';
import { type HitWebsite, hitRequests } from './hits.ts';

/** Collects 500 hits a second for another website during some work; returns the longest time of a hit. */
export async function collectDuring(
  { figures }: Run,
  { url }: RunningServer,
  other: HitWebsite,
  name: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const load = startLoad({ url, connections: 64, perSecond: 500, next: hitRequests([other], 7) });
  const start = performance.now();
  await work().catch(async (error: unknown) => {
    await load.end();
    throw error;
  });
  const { times, p99 } = await load.end();
  const longest = times.at(-1) ?? Number.NaN;
  figures.add(`${name}, during 500 hits/s`, 's', [(performance.now() - start) / 1_000]);
  figures.add(`a hit during ${name}: p99`, 'ms', [p99]);
  figures.add(`a hit during ${name}: longest`, 'ms', [longest]);
  return longest;
}
