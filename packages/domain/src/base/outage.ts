import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError, unavailable } from './errors.ts';

/** Between two attempts while the database is away, in milliseconds. */
export const RETRY_MS = 250;

/** Whether the error means that the database is away, so a retry may succeed. */
export function isUnavailable(error: unknown): error is DomainError {
  return error instanceof DomainError && error.code === 'unavailable';
}

/** A clock that never steps back, in milliseconds, and a way to wait on it. */
export interface MonotonicClock {
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The clock of this process: its times mean nothing to other processes. */
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

/** A longer timer would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The outcome, or `unavailable` at the deadline: a silent database would delay the response by seconds. */
function before<T>(deadline: number, outcome: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(unavailable('The database did not respond in time.')),
      Math.min(deadline - performance.now(), MAX_TIMER_MS),
    );
    outcome.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
