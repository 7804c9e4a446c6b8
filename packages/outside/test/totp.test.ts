import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { totp } from '../src/totp.ts';

/** The secret of RFC 6238, appendix B. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number) => new Date(seconds * 1000);

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('codes are those of RFC 6238: at %d seconds %s', (seconds, code) => {
  expect(totp.stepOf(SECRET, code, at(seconds))).toBe(Math.floor(seconds / 30));
});

test('a code counts in its step, the one before and the one after', () => {
  const step = Math.floor(1_234_567_890 / 30);
  const counts = [-2, -1, 0, 1, 2].map((steps) => totp.stepOf(SECRET, '005924', at((step + steps) * 30)));
  expect(counts).toEqual([undefined, step, step, step, undefined]);
  for (const wrong of ['', '005925', '5924', '0059244', '００５９２４']) {
    expect(totp.stepOf(SECRET, wrong, at(1_234_567_890))).toBeUndefined();
  }
});

test('a new secret has 160 random bits, and apps read it with the address', () => {
  const secret = totp.makeSecret(randomBytes);
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(totp.makeSecret(randomBytes)).not.toBe(secret);
  const uri = new URL(totp.uriOf(secret, 'é&x@example.com'));
  expect([uri.protocol, uri.searchParams.get('secret')]).toEqual(['otpauth:', secret]);
  expect(decodeURIComponent(uri.pathname)).toContain('é&x@example.com');
});
