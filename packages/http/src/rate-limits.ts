import { isIPv4 } from 'node:net';
import { performance } from 'node:perf_hooks';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Bounds what a flood of accounts or addresses can take of the memory; the longest unused are forgotten first. */
const MAX_ENTRIES = 50_000;

/** What is left of an account's allowance after a request. */
export interface Allowance {
  readonly allowed: boolean;
  /** Whole requests that are left. */
  readonly remaining: number;
  /** Whole seconds until the next request is allowed; 0 where one is left. */
  readonly retryAfter: number;
}

/** A token bucket per account, on the monotonic clock: `perMinute` requests at once, refilled evenly. */
export function createAccountLimit(perMinute: number, clock: () => number = () => performance.now()) {
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: MAX_ENTRIES });
  const perMillisecond = perMinute / 60_000;

  return {
    /** The header `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
    policy: `"account";q=${perMinute};w=60`,

    take(accountId: string): Allowance {
      const now = clock();
      const bucket = buckets.get(accountId) ?? { tokens: perMinute, at: now };
      bucket.tokens = Math.min(perMinute, bucket.tokens + (now - bucket.at) * perMillisecond);
      bucket.at = now;
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      buckets.set(accountId, bucket);
      const remaining = Math.floor(bucket.tokens);
      const retryAfter = remaining > 0 ? 0 : Math.ceil((1 - bucket.tokens) / perMillisecond / 1000);
      return { allowed, remaining, retryAfter };
    },
  };
}

export type AccountLimit = ReturnType<typeof createAccountLimit>;

const WINDOW_MS = 60_000;
const MAX_FAILURES = 60;

/** Counts the failed keys of each client address in windows of a minute, on the monotonic clock. */
export function createFailedKeyLimit(clock: () => number = () => performance.now()) {
  const windows = new LRUCache<string, { failures: number; until: number }>({ max: MAX_ENTRIES });

  /** The window that is open for the address, if any. */
  function openWindow(address: string) {
    const window = windows.get(networkOf(address));
    return window !== undefined && clock() < window.until ? window : undefined;
  }

  return {
    count(address: string): void {
      const window = openWindow(address) ?? { failures: 0, until: clock() + WINDOW_MS };
      window.failures += 1;
      windows.set(networkOf(address), window);
    },

    /** Whole seconds until the address may fail again, or 0 where it may now. */
    blockedFor(address: string): number {
      const window = openWindow(address);
      return window === undefined || window.failures < MAX_FAILURES ? 0 : Math.ceil((window.until - clock()) / 1000);
    },
  };
}

export type FailedKeyLimit = ReturnType<typeof createFailedKeyLimit>;

/** IPv6 by its /64, which one client commands as a whole; IPv4-mapped addresses as IPv4. */
function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
