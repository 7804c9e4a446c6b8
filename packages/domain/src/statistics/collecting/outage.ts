import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError, unavailable } from '../../errors.ts';

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
 * Runs a read, or a write whose repeats are recognized, and repeats it while the database is away.
 *
 * @param deadline on the monotonic clock, in milliseconds: then `unavailable` is thrown. A write that is under way by then may
 *   still be done.
 */
export function untilAvailable<T>(attempt: () => T | Promise<T>, deadline: number): Promise<T> {
  return untilCertain(() => {
    const outcome = attempt();
    return outcome instanceof Promise ? before(deadline, outcome) : outcome;
  }, deadline);
}

/** As {@link untilAvailable}, but waits for the outcome of an attempt that began before the deadline. */
export async function untilCertain<T>(
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

/** The outcome, or `unavailable` at the deadline: a silent database would take seconds more. */
function before<T>(deadline: number, outcome: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(unavailable('The database did not respond in time.')),
      deadline - performance.now(),
    );
    outcome.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
