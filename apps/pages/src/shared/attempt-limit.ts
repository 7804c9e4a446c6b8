import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';

/** A number of wrong passwords that is allowed within a time in milliseconds. */
interface Limit {
  readonly failures: number;
  readonly within: number;
}

const HOUR_MS = 60 * 60_000;

/** Of one client at one door: a page with a password, or the address of a person (pages.md). */
export const OF_CLIENT: readonly Limit[] = [
  { failures: 5, within: 60_000 },
  { failures: 30, within: HOUR_MS },
];
/** Of all clients together from which a person has never signed in. */
export const OF_STRANGERS: readonly Limit[] = [{ failures: 100, within: HOUR_MS }];
/** How often one client may begin to sign in with a passkey; each time is stored. */
export const OF_PASSKEYS: readonly Limit[] = [{ failures: 60, within: HOUR_MS }];
/** Bounds the memory that a flood of addresses can take; the least recently used are dropped first. */
const MAX_ENTRIES = 50_000;

/** Counts wrong passwords by whom they come from, and where. */
export interface AttemptLimit {
  /**
   * Checks a password with `isRight`. After too many wrong ones it is not checked: then this resolves to the whole seconds
   * until it may be. Passwords of one client at one door are checked one by one, because a wrong one can block the next.
   * If `isRight` rejects, the attempt does not count.
   */
  attempt(client: string, door: string, isRight: () => Promise<boolean>): Promise<'right' | 'wrong' | number>;
}

/** @param clock monotonic, in milliseconds */
export function createAttemptLimit(
  limits: readonly Limit[] = OF_CLIENT,
  clock: () => number = () => performance.now(),
): AttemptLimit {
  const most = Math.max(...limits.map(({ failures }) => failures));
  // Memory for a `max` would be taken at once.
  const failures = new LRUCache<string, readonly number[]>({ maxSize: MAX_ENTRIES, sizeCalculation: () => 1 });
  const running = new Map<string, Promise<unknown>>();

  function blockedFor(key: string): number {
    const times = failures.get(key) ?? [];
    const waits = limits.map((limit) => {
      const oldest = times.at(-limit.failures);
      return oldest === undefined ? 0 : oldest + limit.within - clock();
    });
    return Math.max(0, Math.ceil(Math.max(...waits) / 1000));
  }

  return {
    async attempt(client, door, isRight) {
      const key = `${door} ${client}`;
      while (running.has(key)) await running.get(key)?.catch(() => {});
      const wait = blockedFor(key);
      if (wait > 0) return wait;
      const check = isRight();
      running.set(key, check);
      try {
        if (await check) return 'right';
        failures.set(key, [...(failures.get(key) ?? []), clock()].slice(-most));
        return 'wrong';
      } finally {
        running.delete(key);
      }
    },
  };
}
