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
  /** Takes tokens for what a request turned out to cost, into debt if need be, but never more than the capacity of it. */
  charge(key: string, tokens: number): Allowance;
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

  /** The refilled bucket of the key. */
  function bucketOf(key: string) {
    const now = clock();
    const bucket = buckets.get(key) ?? { tokens: capacity, at: now };
    buckets.set(key, bucket);
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000);
    bucket.at = now;
    return bucket;
  }

  function allowanceOf(tokens: number, allowed: boolean): Allowance {
    const remaining = Math.max(0, Math.floor(tokens));
    return { allowed, remaining, retryAfter: remaining > 0 ? 0 : Math.ceil((1 - tokens) / perSecond) };
  }

  return {
    take(key) {
      const bucket = bucketOf(key);
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      return allowanceOf(bucket.tokens, allowed);
    },

    charge(key, tokens) {
      const bucket = bucketOf(key);
      bucket.tokens = Math.max(-capacity, bucket.tokens - tokens);
      return allowanceOf(bucket.tokens, true);
    },
  };
}
