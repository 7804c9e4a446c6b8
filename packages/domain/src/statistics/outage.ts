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

/**
 * Runs a read, or a write under an id, and repeats it while the database is away.
 *
 * @param deadline on the monotonic clock, in milliseconds; after it the last `unavailable` is thrown
 */
export async function untilAvailable<T>(attempt: () => T | Promise<T>, deadline: number): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() + RETRY_MS >= deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}
