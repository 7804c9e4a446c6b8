import { LRUCache } from 'lru-cache';

/** The number of wrong passwords allowed within a time in milliseconds (statistics.md, section 6). */
const LIMITS = [
  { failures: 5, within: 60_000 },
  { failures: 30, within: 60 * 60_000 },
] as const;
const MAX_FAILURES = 30;
/** Bounds the memory that a flood of addresses can take; the least recently used are dropped first. */
const MAX_ENTRIES = 50_000;

/** Counts wrong passwords per client network and website. */
export interface UnlockLimit {
  /** Whole seconds until the next try; 0 if it is allowed now. */
  blockedFor(client: string, websiteId: string): number;
  /**
   * Counts a try as wrong before its password is checked, so that concurrent tries cannot all pass. The returned
   * function undoes this.
   */
  count(client: string, websiteId: string): () => void;
}

/** @param clock monotonic, in milliseconds */
export function createUnlockLimit(clock: () => number): UnlockLimit {
  const failures = new LRUCache<string, readonly number[]>({ max: MAX_ENTRIES });
  const keyOf = (client: string, websiteId: string) => `${websiteId} ${client}`;

  return {
    blockedFor(client, websiteId) {
      const times = failures.get(keyOf(client, websiteId)) ?? [];
      const waits = LIMITS.map((limit) => {
        const oldest = times.at(-limit.failures);
        return oldest === undefined ? 0 : oldest + limit.within - clock();
      });
      return Math.max(0, Math.ceil(Math.max(...waits) / 1000));
    },

    count(client, websiteId) {
      const key = keyOf(client, websiteId);
      const time = clock();
      failures.set(key, [...(failures.get(key) ?? []), time].slice(-MAX_FAILURES));
      return () => {
        const times = failures.get(key) ?? [];
        const index = times.lastIndexOf(time);
        failures.set(
          key,
          times.filter((_, other) => other !== index),
        );
      };
    },
  };
}
