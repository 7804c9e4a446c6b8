import { LRUCache } from 'lru-cache';

/** Bounds the memory that a flood of keys can take; the least recently used are dropped first. */
const MAX_BUCKETS = 50_000;

/** The remaining allowance after a request. */
export interface Allowance {
  readonly allowed: boolean;
  /** Whole remaining requests. */
  readonly remaining: number;
  /** Whole seconds until the next request is allowed; 0 if one is left. */
  readonly retryAfter: number;
}

/** A token bucket for each key. */
export interface TokenBuckets {
  take(key: string): Allowance;
}

/**
 * Token buckets: `capacity` requests at once, refilled evenly.
 *
 * @param clock monotonic, in milliseconds
 */
export function createTokenBuckets(
  capacity: number,
  perSecond: number,
  clock: () => number = () => performance.now(),
): TokenBuckets {
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: MAX_BUCKETS });

  return {
    take(key) {
      const now = clock();
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        bucket = { tokens: capacity, at: now };
        buckets.set(key, bucket);
      }
      bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000);
      bucket.at = now;
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      const remaining = Math.floor(bucket.tokens);
      const retryAfter = remaining > 0 ? 0 : Math.ceil((1 - bucket.tokens) / perSecond);
      return { allowed, remaining, retryAfter };
    },
  };
}
