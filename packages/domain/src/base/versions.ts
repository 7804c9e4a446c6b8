import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from './errors.ts';

/** Something whose `updatedAt` is strictly later with every change, to the millisecond, and so is its version. */
export interface Versioned {
  readonly updatedAt: Date;
}

/** Checks the current version before a write; throws `precondition_failed` to reject it. */
export type Precondition = (current: Versioned) => void;

/** Each lost round means that another writer won, so this many losses occur only in a flood of writes to one resource. */
const MAX_ROUNDS = 100;

/** The version that follows the current one. */
export function nextVersion({ updatedAt }: Versioned, now: Date): Date {
  return new Date(Math.max(now.getTime(), updatedAt.getTime() + 1));
}

/** Compare-and-set: repeats until a round succeeds, so that no lock is held while JavaScript runs. */
export async function untilSettled<T>(round: () => Promise<T | undefined>): Promise<T> {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    const settled = await round();
    if (settled !== undefined) return settled;
    // A random pause spreads competing writers.
    await sleep(Math.random() * Math.min(rounds, 20));
  }
  throw unavailable('Too many requests update the same resource at the same time.');
}
