import { isGood } from '../load/measure.ts';
import type { Received } from '../load/send.ts';

/** The responses since they were last taken. */
export interface Window {
  add(response: Received): void;
  take(): Taken;
}

export interface Taken {
  /** Times of good responses in milliseconds, sorted. */
  readonly times: readonly number[];
  /** The heads of the other ones; empty where a connection was lost. */
  readonly failures: readonly string[];
}

export function createWindow(): Window {
  let times: number[] = [];
  let failures: string[] = [];
  return {
    add(response) {
      if (isGood(response)) times.push(response.ms);
      else failures.push(response.head);
    },
    take() {
      const taken = { times: times.sort((a, b) => a - b), failures };
      times = [];
      failures = [];
      return taken;
    },
  };
}
