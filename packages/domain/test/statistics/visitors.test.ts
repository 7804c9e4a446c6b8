import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SaltRepository } from '../../src/hits/salts.ts';
import { createVisitors, visitorOf } from '../../src/hits/visitors.ts';

const SALT = Buffer.alloc(32, 1);
const hit = { ip: '203.0.113.7', userAgent: 'Mozilla/5.0' };
const visitor = (overrides: Parameters<typeof visitorOf>[2] = {}, websiteId = 'w', salt: Uint8Array = SALT) =>
  visitorOf(salt, websiteId, { ...hit, ...overrides });

describe('visitorOf', () => {
  test('is HMAC-SHA256 keyed by the salt, cut to 64 bits', () => {
    const digest = createHmac('sha256', SALT).update('["w","device","203.0.113.7","Mozilla/5.0"]').digest();

    expect(visitor()).toBe(digest.readBigUInt64BE());
  });

  test('depends on salt, website, address and user agent', () => {
    const others = [
      visitor({}, 'w', Buffer.alloc(32, 2)),
      visitor({}, 'v'),
      visitor({ ip: '203.0.113.8' }),
      visitor({ userAgent: 'Mozilla/6.0' }),
      visitor({ visitor: 'Mozilla/5.0' }),
    ];

    expect(new Set([visitor(), ...others]).size).toBe(6);
  });

  test('is the same for every address of an IPv6 /64, however it is written', () => {
    expect(visitor({ ip: '2001:db8::1' })).toBe(visitor({ ip: '2001:DB8:0:0:ffff:1:2:3' }));
    expect(visitor({ ip: '2001:db8::1' })).not.toBe(visitor({ ip: '2001:db8:0:1::1' }));
  });

  test('is the same for an IPv4 address and its IPv4-mapped IPv6 address', () => {
    expect(visitor({ ip: '::ffff:203.0.113.7' })).toBe(visitor());
  });

  test('uses the visitor that a server sends in place of address and user agent', () => {
    expect(visitor({ visitor: 'é', ip: '203.0.113.8' })).toBe(visitorOf(SALT, 'w', { visitor: 'é' }));
  });
});

/** Visitors over salts in memory; the random bytes count up. */
function aVisitors(more: Partial<SaltRepository> = {}) {
  const kept = new Map<string, Uint8Array>();
  const asked: string[] = [];
  const repository: SaltRepository = {
    async saltOf(day, fresh) {
      asked.push(day);
      if (!kept.has(day)) kept.set(day, fresh);
      return kept.get(day) ?? fresh;
    },
    deleteBefore: async () => 0,
    ...more,
  };
  let bytes = 0;
  const visitors = createVisitors(repository, (size) => {
    bytes += 1;
    return new Uint8Array(size).fill(bytes);
  });
  return { of: (day: string) => visitors.of(day, 'w', hit), visitors, kept, asked };
}

describe('the salt of a day', () => {
  test('has 32 bytes, comes from the repository, and is read once', async () => {
    const { of, kept, asked } = aVisitors();
    const theirs = new Uint8Array(32).fill(200);
    kept.set('2026-11-21', theirs);

    const [first, concurrent] = await Promise.all([of('2026-11-20'), of('2026-11-20')]);
    const again = of('2026-11-20');

    expect(first).toBe(visitorOf(new Uint8Array(32).fill(1), 'w', hit));
    expect([concurrent, again]).toEqual([first, first]);
    expect(await of('2026-11-21')).toBe(visitorOf(theirs, 'w', hit));
    expect(asked).toEqual(['2026-11-20', '2026-11-21']);
  });

  test('is forgotten when it is too old', async () => {
    const { of, visitors, asked } = aVisitors();
    await of('2026-11-19');
    await of('2026-11-20');

    visitors.forgetBefore('2026-11-20');
    await of('2026-11-19');
    await of('2026-11-20');

    expect(asked).toEqual(['2026-11-19', '2026-11-20', '2026-11-19']);
  });

  test('is remembered for the days that hits of all time zones can have', async () => {
    const { of, asked } = aVisitors();
    const days = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22'];

    for (const day of [...days, ...days]) await of(day);

    expect(asked).toEqual(days);
  });

  test('is asked for again after a failure', async () => {
    let fails = true;
    const { of } = aVisitors({
      async saltOf(_day, fresh) {
        if (fails) throw new Error('away');
        return fresh;
      },
    });
    await expect(of('2026-11-20')).rejects.toThrow('away');

    fails = false;

    expect(await of('2026-11-20')).toEqual(expect.any(BigInt));
  });
});
