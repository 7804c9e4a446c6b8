import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, cpuOfServer, memoryOf } from '@hitherto/testing/proc';
import type { Figures } from '../figures.ts';
import { percentile } from '../figures.ts';
import type { RunningServer } from '../servers.ts';
import { type Load, type Received, send } from './send.ts';

/** The outcome of a load; times in milliseconds. */
export interface Measured {
  /** The times of good responses, those after the end of the load included, in ascending order. */
  readonly times: readonly number[];
  /** Good responses per second until the end of the load. */
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export type MeasuredLoad = Omit<Load, 'signal' | 'onResponse'>;

/** A load that runs until it is ended, which rejects if any response was not good. */
export interface RunningLoad {
  /** How many responses were good so far. */
  good(): number;
  end(): Promise<Measured>;
}

export function startLoad(load: MeasuredLoad): RunningLoad {
  const times: number[] = [];
  const failures: Received[] = [];
  const ending = new AbortController();
  const start = performance.now();
  const onResponse = (response: Received) =>
    void (isGood(response) ? times.push(response.ms) : failures.push(response));
  const done = send({ ...load, signal: ending.signal, onResponse });
  return {
    good: () => times.length,
    async end() {
      const perSecond = times.length / ((performance.now() - start) / 1_000);
      ending.abort();
      await done;
      const [first] = failures;
      if (first !== undefined) {
        throw new Error(
          `${failures.length} responses besides ${times.length} good ones were not, the first: ${first.head}`,
        );
      }
      times.sort((a, b) => a - b);
      return { times, perSecond, p50: percentile(times, 50), p99: percentile(times, 99) };
    },
  };
}

/** Runs a load for some seconds. */
export async function measureLoad(load: MeasuredLoad, seconds: number): Promise<Measured> {
  const running = startLoad(load);
  await sleep(seconds * 1_000);
  return running.end();
}

/** Whether a request was done: a page was shown, say, and a hit counted. */
export function isGood({ status, head }: Pick<Received, 'status' | 'head'>): boolean {
  return status >= 200 && status < 400 && !/\r\nhitherto-dropped:/i.test(head);
}

/** A load and its cost. CPU in microseconds a request, memory in MB. */
export interface ServerSample extends Measured {
  readonly nodeCpu: number;
  readonly databaseCpu: number;
  readonly cpu: number;
  readonly memory: number;
  readonly peakMemory: number;
}

/**
 * Runs a load on a server.
 *
 * @param databasePid of the database's first process
 * @param after what the requests have left to do, whose CPU counts
 */
export async function measureServer(
  { pid }: Pick<RunningServer, 'pid'>,
  databasePid: number,
  load: MeasuredLoad,
  seconds: number,
  after?: () => Promise<void>,
): Promise<ServerSample> {
  const used = () => ({ node: cpuOf(pid) ?? Number.NaN, database: cpuOfServer(databasePid) ?? Number.NaN });
  const before = used();
  const measured = await measureLoad(load, seconds);
  await after?.();
  const now = used();
  const nodeCpu = ((now.node - before.node) / measured.times.length) * 1e6;
  const databaseCpu = ((now.database - before.database) / measured.times.length) * 1e6;
  const { now: memory, peak: peakMemory } = memoryOf(pid) ?? { now: Number.NaN, peak: Number.NaN };
  return { ...measured, nodeCpu, databaseCpu, cpu: nodeCpu + databaseCpu, memory, peakMemory };
}

/** Adds the figures of a server. */
export function addServer(
  figures: Figures,
  name: string,
  of: (pick: (sample: ServerSample) => number) => number[],
): void {
  figures.add(
    name,
    'per second',
    of(({ perSecond }) => perSecond),
  );
  figures.add(
    `${name}: p50`,
    'ms',
    of(({ p50 }) => p50),
  );
  figures.add(
    `${name}: p99`,
    'ms',
    of(({ p99 }) => p99),
  );
  figures.add(
    `${name}: CPU of Node a request`,
    'µs',
    of(({ nodeCpu }) => nodeCpu),
  );
  figures.add(
    `${name}: CPU of the database a request`,
    'µs',
    of(({ databaseCpu }) => databaseCpu),
  );
  figures.add(
    `${name}: memory`,
    'MB',
    of(({ memory }) => memory),
  );
  figures.add(
    `${name}: most memory`,
    'MB',
    of(({ peakMemory }) => peakMemory),
  );
}

const WARM_UP_MS = 1_000;
const [ENOUGH, LEAST_MS, MOST_MS] = [25, 2_000, 40_000];

/**
 * Times requests, one after the other on one connection, after a warm-up: 25 or more, for 2 to 40 seconds.
 *
 * @returns the times, and how many of the responses were 503
 */
export async function timeRequests(
  { url }: Pick<RunningServer, 'url'>,
  next: () => string,
  { enough = ENOUGH, mayBeRefused = false } = {},
): Promise<{ times: number[]; refused: number }> {
  let times: number[] = [];
  let refused = 0;
  let failure: string | undefined;
  const ending = new AbortController();
  const onResponse = (response: Received) => {
    times.push(response.ms);
    if (isGood(response)) return;
    refused += 1;
    if (!mayBeRefused || response.status !== 503) failure ??= response.head;
  };
  const sent = send({ url, connections: 1, next, signal: ending.signal, onResponse });
  const isOver = (least: number, ms: number, since: number) =>
    failure !== undefined ||
    (times.length >= least && performance.now() > since + ms) ||
    performance.now() > since + MOST_MS;
  for (const since = performance.now(); !isOver(1, WARM_UP_MS, since); ) await sleep(1);
  [times, refused] = [[], 0];
  for (const since = performance.now(); !isOver(enough, LEAST_MS, since); ) await sleep(1);
  ending.abort();
  await sent;
  if (failure !== undefined) throw new Error(`A request failed: ${failure}`);
  return { times, refused };
}
