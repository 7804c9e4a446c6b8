import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '@hitherto/domain';

/** How long a hit waits for the database (statistics.md, section 2, "Durable"). */
export const MAX_WAIT_MS = 10_000;

/** Between two attempts while the database is away. */
export const RETRY_MS = 250;

/** It is unknown whether the hit was stored: if sent again, it could count twice. */
export class OutcomeUnknown extends DomainError {
  override readonly name = 'OutcomeUnknown';

  constructor() {
    super('unavailable', 'The database did not confirm in time that the hit is stored.');
  }
}

/** Whether the database is away, so that another attempt may work. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'unavailable';
}

/**
 * Runs a read, retrying while the database is away.
 *
 * @param deadline on the monotonic clock, in milliseconds; after it the read's `unavailable` is thrown
 */
export async function untilAvailable<T>(read: () => T | Promise<T>, deadline: number): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() + RETRY_MS >= deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}
