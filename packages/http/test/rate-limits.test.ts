import { describe, expect, test } from 'vitest';
import { createAccountLimit, createFailedKeyLimit } from '../src/limits/rate-limits.ts';

// api.md, "Limits".

describe('Per account, a token bucket: 600 requests, refilled at 10 a second', () => {
  const standing = (perMinute: number) => {
    let now = 0;
    const limit = createAccountLimit(perMinute, () => now);
    return {
      limit,
      take: () => limit.take('account'),
      pass: (milliseconds: number) => {
        now += milliseconds;
      },
    };
  };

  test('600 at once are allowed, the 601st is not', () => {
    const bucket = standing(600);

    const allowed = Array.from({ length: 600 }, () => bucket.take());
    const refused = bucket.take();

    expect(allowed.every((taken) => taken.allowed)).toBe(true);
    expect(allowed.map((taken) => taken.remaining)).toEqual(Array.from({ length: 600 }, (_, index) => 599 - index));
    expect(refused).toEqual({ allowed: false, remaining: 0, retryAfter: 1 });
  });

  test('a tenth of a second later one more is allowed, a second later ten, and never more than 600', () => {
    const bucket = standing(600);
    for (let index = 0; index < 600; index += 1) bucket.take();
    const takeAll = () => {
      let count = 0;
      while (bucket.take().allowed) count += 1;
      return count;
    };

    bucket.pass(99);
    expect(takeAll()).toBe(0);
    bucket.pass(1);
    expect(takeAll()).toBe(1);
    bucket.pass(1000);
    expect(takeAll()).toBe(10);
    bucket.pass(3_600_000);
    expect(takeAll()).toBe(600);
  });

  test('a request is allowed again after retryAfter seconds', () => {
    for (const perMinute of [1, 7, 60, 600, 100_000]) {
      const bucket = standing(perMinute);
      for (let index = 0; index < perMinute; index += 1) bucket.take();

      const refused = bucket.take();
      bucket.pass(refused.retryAfter * 1000);

      expect(refused.allowed).toBe(false);
      expect(refused.retryAfter).toBeGreaterThanOrEqual(1);
      expect(bucket.take().allowed, String(perMinute)).toBe(true);
    }
  });
});

describe('Each further 256 KiB of a response costs one more request', () => {
  const KIB = 1_024;

  test('the first 256 KiB are included', () => {
    const limit = createAccountLimit(600, () => 0);
    limit.take('account');

    expect(limit.chargeResponse('account', 0)).toBeUndefined();
    expect(limit.chargeResponse('account', 256 * KIB)).toBeUndefined();
    expect(limit.chargeResponse('account', 256 * KIB + 1)?.remaining).toBe(598);
    expect(limit.chargeResponse('account', 1_024 * KIB)?.remaining).toBe(595);
  });

  test('a debt is paid off before the next request, and is at most the whole allowance', () => {
    let now = 0;
    const limit = createAccountLimit(60, () => now);

    const charged = limit.chargeResponse('account', 1_000_000 * KIB);
    const refused = limit.take('account');
    now += 61_000;

    expect(charged).toEqual({ allowed: true, remaining: 0, retryAfter: 61 });
    expect(refused).toEqual({ allowed: false, remaining: 0, retryAfter: 61 });
    expect(limit.take('account').allowed).toBe(true);
  });
});

describe('Failed keys, in windows of a minute', () => {
  test('after a minute, the address may fail again', () => {
    let now = 0;
    const limit = createFailedKeyLimit(() => now);
    for (let index = 0; index < 60; index += 1) limit.count('192.0.2.1');

    now = 59_999;
    expect(limit.blockedFor('192.0.2.1')).toBe(1);
    now = 60_000;
    expect(limit.blockedFor('192.0.2.1')).toBe(0);
    limit.count('192.0.2.1');
    expect(limit.blockedFor('192.0.2.1')).toBe(0);
  });
});
