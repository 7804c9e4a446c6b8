import { isGood } from '../load/measure.ts';
import type { Received } from '../load/send.ts';

/** The times of responses since they were last taken. */
export interface Window {
  /** @throws Error if the response is not good */
  add(response: Received): void;
  /** In milliseconds, sorted. */
  take(): number[];
}

export function createWindow(): Window {
  let times: number[] = [];
  return {
    add(response) {
      if (!isGood(response)) throw new Error(`A response was not good: ${response.head}`);
      times.push(response.ms);
    },
    take() {
      const taken = times.sort((a, b) => a - b);
      times = [];
      return taken;
    },
  };
}
