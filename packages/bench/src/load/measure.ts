import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, cpuOfServer, memoryOf } from '@hitherto/testing/proc';
import { atMost, type Figures, type Percents, percentile } from '../figures.ts';
import type { RunningServer } from '../servers.ts';
import { requestOf } from './request.ts';
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

type MeasuredLoad = Omit<Load, 'signal' | 'onResponse'>;

/** A load that runs until it is ended, which rejects if any response was not good. */
interface RunningLoad {
  /** How many responses were good so far. */
  good(): number;
  end(): Promise<Measured>;
}

/** Starts a load. Responses that are not good fail it, unless `accepts` takes them. */
export function startLoad(load: MeasuredLoad, accepts: (response: Received) => boolean = () => false): RunningLoad {
  const times: number[] = [];
  const failures: Received[] = [];
  const ending = new AbortController();
  const start = performance.now();
  const onResponse = (response: Received) =>
    void (isGood(response) || accepts(response) ? times.push(response.ms) : failures.push(response));
  const done = send({ ...load, signal: ending.signal, onResponse });
  return {
    good: () => times.length,
    async end() {
      const perSecond = times.length / ((performance.now() - start) / 1_000);
      ending.abort();
      await done;
      const [first] = failures;
      if (first !== undefined) {
        throw new Error(`${failures.length} responses were not good, ${times.length} were. The first: ${first.head}`);
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
 * @param after waits for work that the requests have left, whose CPU counts
 */
export async function measureServer(
  { pid }: Pick<RunningServer, 'pid'>,
  databasePid: number,
  load: MeasuredLoad,
  seconds: number,
  after?: () => Promise<unknown>,
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

/** The figures of a server, by how their names end: the unit, and the value in a sample. */
const FIGURES: Readonly<Record<string, readonly [unit: string, pick: (sample: ServerSample) => number]>> = {
  '': ['per second', ({ perSecond }) => perSecond],
  ': p50': ['ms', ({ p50 }) => p50],
  ': p99': ['ms', ({ p99 }) => p99],
  ': CPU of Node a request': ['µs', ({ nodeCpu }) => nodeCpu],
  ': CPU of the database a request': ['µs', ({ databaseCpu }) => databaseCpu],
  ': memory': ['MB', ({ memory }) => memory],
  ': most memory': ['MB', ({ peakMemory }) => peakMemory],
};

/** Adds the figures of a server. */
export function addServer(
  figures: Figures,
  name: string,
  of: (pick: (sample: ServerSample) => number) => number[],
): void {
  for (const [about, [unit, pick]] of Object.entries(FIGURES)) figures.add(name + about, unit, of(pick));
}

/** How long some work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const [WARM_UP_MS, ENOUGH, LEAST_MS, MOST_MS] = [1_000, 25, 2_000, 40_000];

/**
 * Times requests, one after the other on one connection, after a warm-up: 25 or more, for 2 to 40 seconds.
 *
 * @returns the times, and how many of the responses were 503
 */
async function timeRequests(
  { url }: Pick<RunningServer, 'url'>,
  next: () => string,
  { enough = ENOUGH, accepts503 = false } = {},
): Promise<{ times: readonly number[]; unavailable: number }> {
  let unavailable = 0;
  const accepts = ({ status }: Received) => {
    if (status === 503) unavailable += 1;
    return accepts503 && status === 503;
  };
  const time = async (least: number, ms: number) => {
    const load = startLoad({ url, connections: 1, next }, accepts);
    const since = performance.now();
    while (performance.now() < since + (load.good() < least ? MOST_MS : ms)) await sleep(1);
    return load.end();
  };
  await time(1, WARM_UP_MS);
  unavailable = 0;
  const { times } = await time(enough, LEAST_MS);
  return { times, unavailable };
}

/** Times a path as `timeRequests` does, and adds percentiles of the times and the number of 503s. */
export async function timePath(
  { figures }: { readonly figures: Figures },
  server: Pick<RunningServer, 'url'>,
  name: string,
  path: string,
  { key, enough, percents }: { readonly key?: string; readonly enough: number; readonly percents: Percents },
): Promise<void> {
  const next = () => requestOf('GET', path, key === undefined ? {} : { authorization: `Bearer ${key}` });
  const { times, unavailable } = await timeRequests(server, next, { enough, accepts503: true });
  figures.times(name, times, percents);
  figures.add(`${name}: 503`, '', [unavailable], atMost(0));
}
