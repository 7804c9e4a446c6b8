import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { visitorOf } from '../../src/statistics/collecting/visitor.ts';

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
