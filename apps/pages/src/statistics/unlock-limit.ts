import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';

/** The number of wrong passwords allowed within a time in milliseconds (pages.md). */
const LIMITS = [
  { failures: 5, within: 60_000 },
  { failures: 30, within: 60 * 60_000 },
] as const;
const MAX_FAILURES = 30;
/** Bounds the memory that a flood of addresses can take; the least recently used are dropped first. */
const MAX_ENTRIES = 50_000;

/** Counts wrong passwords per client network and website. */
export interface UnlockLimit {
  /**
   * Checks a password with `isRight`. After too many wrong ones it is not checked: then this resolves to the whole seconds
   * until it may be. Passwords of one client for one website are checked one by one, because a wrong one can block the next.
   * If `isRight` rejects, the attempt does not count.
   */
  attempt(client: string, websiteId: string, isRight: () => Promise<boolean>): Promise<'right' | 'wrong' | number>;
}

/** @param clock monotonic, in milliseconds */
export function createUnlockLimit(clock: () => number = () => performance.now()): UnlockLimit {
  const failures = new LRUCache<string, readonly number[]>({ max: MAX_ENTRIES });
  const running = new Map<string, Promise<unknown>>();

  function blockedFor(key: string): number {
    const times = failures.get(key) ?? [];
    const waits = LIMITS.map((limit) => {
      const oldest = times.at(-limit.failures);
      return oldest === undefined ? 0 : oldest + limit.within - clock();
    });
    return Math.max(0, Math.ceil(Math.max(...waits) / 1000));
  }

  return {
    async attempt(client, websiteId, isRight) {
      const key = `${websiteId} ${client}`;
      while (running.has(key)) await running.get(key)?.catch(() => {});
      const wait = blockedFor(key);
      if (wait > 0) return wait;
      const check = isRight();
      running.set(key, check);
      try {
        if (await check) return 'right';
        failures.set(key, [...(failures.get(key) ?? []), clock()].slice(-MAX_FAILURES));
        return 'wrong';
      } finally {
        running.delete(key);
      }
    },
  };
}
