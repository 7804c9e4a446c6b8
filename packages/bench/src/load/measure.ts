import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../spread.ts';
import { type Load, type Received, send } from './send.ts';

/** What a load came to; times in milliseconds. */
export interface Measured {
  /** Good responses, those after the end of the load included. */
  readonly good: number;
  /** Good responses per second until the end of the load. */
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
  /** Responses that were not good, by their status; 0 for lost connections. */
  readonly failures: Readonly<Record<number, number>>;
}

type MeasuredLoad = Omit<Load, 'signal' | 'onResponse'>;

/** A load that runs until it is ended. */
export interface RunningLoad {
  end(): Promise<Measured>;
}

/** Starts a load. A response is good if its status is 200 or 202 and no hit was dropped. */
export function startLoad(load: MeasuredLoad): RunningLoad {
  const times: number[] = [];
  const failures: Record<number, number> = {};
  const ending = new AbortController();
  const start = performance.now();
  const done = send({
    ...load,
    signal: ending.signal,
    onResponse: (response) => {
      if (isGood(response)) times.push(response.ms);
      else failures[response.status] = (failures[response.status] ?? 0) + 1;
    },
  });
  return {
    async end() {
      const perSecond = times.length / ((performance.now() - start) / 1_000);
      ending.abort();
      await done;
      times.sort((a, b) => a - b);
      const [p50, p95, p99, longest] = [50, 95, 99, 100].map((percent) => percentile(times, percent));
      return { good: times.length, perSecond, ...named(p50, p95, p99, longest), failures };
    },
  };
}

/** Runs a load for some seconds; rejects if any response was not good. */
export async function measureLoad(load: MeasuredLoad, seconds: number): Promise<Measured> {
  const running = startLoad(load);
  await sleep(seconds * 1_000);
  return assertGood(await running.end());
}

/** Rejects what has a failure. */
export function assertGood(measured: Measured): Measured {
  const failed = Object.entries(measured.failures).map(([status, count]) => `${count} with ${status}`);
  if (failed.length > 0) throw new Error(`Of ${measured.good} and more requests failed: ${failed.join(', ')}.`);
  return measured;
}

/** Whether a page was shown, or a hit was counted. */
export function isGood({ status, head }: Received): boolean {
  return (status === 200 || status === 202) && !/\r\nhitherto-dropped:/i.test(head);
}

function named(p50 = Number.NaN, p95 = Number.NaN, p99 = Number.NaN, longest = Number.NaN) {
  return { p50, p95, p99, longest };
}
