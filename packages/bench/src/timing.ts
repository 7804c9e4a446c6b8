import { ask, checkResponse } from './check.ts';
import type { LoadGenerator, Operation } from './load/load.ts';
import { percentile, spreadOf } from './spread.ts';

/** The times of one kind of request, one after the other on one connection; milliseconds. */
export interface Times {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  /** How many of them were 503; present only if that may happen. */
  readonly refused?: number;
}

const WARM_UP_MS = 1_000;
/** How many requests are wanted, and the shortest and longest time for them, in seconds. */
const ENOUGH = 25;
const LEAST_SECONDS = 2;
const MOST_SECONDS = 30;
/** How many requests are sent that may be refused. */
const SINGLES = 3;

/** Times requests that succeed: after a warm-up, for as long as enough requests take. */
export async function timeLoad(url: string, operation: Operation, generator: LoadGenerator): Promise<Times> {
  const seconds = Math.ceil((ENOUGH * (await warmUp(url, operation))) / 1000);
  const bounded = Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, seconds));
  const { requests, p50, p99, failures } = await generator.run(url, operation, 1, bounded);
  if (failures > 0 || requests === 0) throw new Error(`${operation.path}: ${failures} of ${requests} requests failed.`);
  return { requests, p50, p99 };
}

/** Times requests that may be 503, which would fail a load: a few single requests after one warm-up. */
export async function timeSingles(url: string, operation: Operation): Promise<Times> {
  await ask(url, operation);
  const times: number[] = [];
  let refused = 0;
  while (times.length < SINGLES) {
    const { status, text, ms } = await ask(url, operation);
    if (status !== operation.status && status !== 503) throw new Error(`${operation.path}: ${status}: ${text}`);
    if (status === 503) refused += 1;
    times.push(ms);
  }
  times.sort((a, b) => a - b);
  return { requests: times.length, p50: percentile(times, 50), p99: percentile(times, 99), refused };
}

/** Sends requests for a second, at least one, and returns the median time, in milliseconds. */
async function warmUp(url: string, operation: Operation): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + WARM_UP_MS;
  do times.push(await checkResponse(url, operation));
  while (performance.now() < until);
  return spreadOf(times).median;
}
