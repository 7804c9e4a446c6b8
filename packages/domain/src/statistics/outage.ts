import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../errors.ts';

/** How long hits wait for the database, in milliseconds (statistics.md, section 2, "Durability"). */
export const MAX_WAIT_MS = 10_000;

/** The most hits that wait for the database (ibid.). */
export const MAX_WAITING_HITS = 20_000;

/** Between two attempts while the database is away, in milliseconds. */
export const RETRY_MS = 250;

/** Whether the error means that the database is away, so a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'unavailable';
}

/** A clock that never steps back, in milliseconds, and a way to wait on it. */
export interface MonotonicClock {
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

export const MONOTONIC_CLOCK: MonotonicClock = {
  now: () => performance.now(),
  sleep: (milliseconds) => sleep(milliseconds),
};

/**
 * Runs a read, or a write that may be repeated, and repeats it while the database is away.
 *
 * @param deadline on the monotonic clock, in milliseconds; after it the last `unavailable` is thrown
 */
export async function untilAvailable<T>(
  attempt: () => T | Promise<T>,
  deadline: number,
  clock = MONOTONIC_CLOCK,
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isUnavailable(error) || clock.now() + RETRY_MS >= deadline) throw error;
      await clock.sleep(RETRY_MS);
    }
  }
}
