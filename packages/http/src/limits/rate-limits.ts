import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import { clientNetwork } from './client-address.ts';

/** Bounds the memory that a flood of keys or addresses can take; the least recently used are dropped first. */
const MAX_ENTRIES = 50_000;
/** As a size: memory for a `max` would be taken at once. */
const BOUND = { maxSize: MAX_ENTRIES, sizeCalculation: () => 1 };

/** The remaining allowance after a request. */
export interface Allowance {
  readonly allowed: boolean;
  /** Whole remaining requests. */
  readonly remaining: number;
  /** Whole seconds until the next request is allowed; 0 if one is left. */
  readonly retryAfter: number;
}

/** A token bucket for each key. */
interface TokenBuckets {
  take(key: string): Allowance;
  /** Takes tokens for the actual cost of a request. The bucket may go into debt, at most by its capacity. */
  charge(key: string, tokens: number): Allowance;
}

/**
 * Token buckets: bursts of up to `capacity` requests, refilled evenly.
 *
 * @param clock monotonic, in milliseconds
 */
export function createTokenBuckets(
  capacity: number,
  perSecond: number,
  clock: () => number = () => performance.now(),
): TokenBuckets {
  const buckets = new LRUCache<string, { tokens: number; at: number }>(BOUND);

  /** The refilled bucket of the key. */
  function bucketOf(key: string) {
    const now = clock();
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { tokens: capacity, at: now };
      buckets.set(key, bucket);
    }
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

/** The bytes of a response that one token pays for. */
const BYTES_PER_REQUEST = 262_144;

/** A token bucket per account, on the monotonic clock: bursts of up to `perMinute` requests, refilled evenly. */
export function createAccountLimit(perMinute: number, clock: () => number = () => performance.now()) {
  const buckets = createTokenBuckets(perMinute, perMinute / 60, clock);
  return {
    /** The header `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
    policy: `"account";q=${perMinute};w=60`,
    take: buckets.take,
    /**
     * Takes one more request for each further 256 KiB of a response of this many bytes; `undefined` if it costs no more.
     */
    chargeResponse(accountId: string, bytes: number): Allowance | undefined {
      const further = Math.ceil(bytes / BYTES_PER_REQUEST) - 1;
      return further > 0 ? buckets.charge(accountId, further) : undefined;
    },
  };
}

export type AccountLimit = ReturnType<typeof createAccountLimit>;

const WINDOW_MS = 60_000;
const MAX_FAILURES = 60;

/** Counts the failed keys of each client address in windows of a minute, on the monotonic clock. */
export function createFailedKeyLimit(clock: () => number = () => performance.now()) {
  const windows = new LRUCache<string, { failures: number; until: number }>(BOUND);

  /** The open window of the address, if any. */
  function openWindow(address: string | undefined) {
    const window = windows.get(clientNetwork(address));
    return window !== undefined && clock() < window.until ? window : undefined;
  }

  return {
    count(address: string | undefined): void {
      const window = openWindow(address) ?? { failures: 0, until: clock() + WINDOW_MS };
      window.failures += 1;
      windows.set(clientNetwork(address), window);
    },

    /** Whole seconds until the address may fail again, or 0. */
    blockedFor(address: string | undefined): number {
      const window = openWindow(address);
      return window === undefined || window.failures < MAX_FAILURES ? 0 : Math.ceil((window.until - clock()) / 1000);
    },
  };
}

export type FailedKeyLimit = ReturnType<typeof createFailedKeyLimit>;
