import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  fingerprintOf,
  hashIdempotencyKey,
  makeIdempotencyRecord,
  openIdempotencyRecord,
} from '../../src/changes/idempotency-record.ts';

const ACCOUNT = '01997c3e-0000-7000-8000-0000000000aa';
const OTHER_ACCOUNT = '01997c3e-0000-7000-8000-0000000000ab';
const KEY = 'order-"7"_~!';
const REPEATABLE = {
  content: 'a content é 🦊',
  response: '{"id":"a response é 🦊"}',
  expiresAt: new Date('2026-11-21T12:00:00.123Z'),
};
const RECORD = makeIdempotencyRecord(ACCOUNT, KEY, REPEATABLE, randomBytes);

describe('makeIdempotencyRecord', () => {
  test('neither the key nor the content nor the response can be read in the record', () => {
    const kept = [RECORD.keyHash, RECORD.fingerprint, RECORD.sealedResponse].flatMap((text) => [
      text,
      Buffer.from(text, 'base64').toString('latin1'),
      Buffer.from(text, 'base64').toString('utf8'),
    ]);

    for (const secret of [KEY, 'order-', 'content', 'response']) expect(kept.join('\n')).not.toContain(secret);
    expect(RECORD.expiresAt).toEqual(REPEATABLE.expiresAt);
  });

  test('two records of the same request are sealed differently', () => {
    const again = makeIdempotencyRecord(ACCOUNT, KEY, REPEATABLE, randomBytes);

    expect(again.sealedResponse).not.toBe(RECORD.sealedResponse);
    expect(again).toMatchObject({ keyHash: RECORD.keyHash, fingerprint: RECORD.fingerprint });
  });
});

describe('openIdempotencyRecord', () => {
  test('returns the response unchanged', () => {
    expect(openIdempotencyRecord(ACCOUNT, KEY, RECORD)).toBe(REPEATABLE.response);
  });

  test.each([
    ['another key', ACCOUNT, `${KEY}x`],
    ['another account', OTHER_ACCOUNT, KEY],
    ['key and account the other way round', KEY, ACCOUNT],
  ])('%s cannot open it', (_, account, key) => {
    expect(() => openIdempotencyRecord(account, key, RECORD)).toThrow();
  });

  test('an altered record cannot be opened', () => {
    const sealed = Buffer.from(RECORD.sealedResponse, 'base64');
    for (const at of [0, 12, Math.floor(sealed.length / 2), sealed.length - 1]) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 1;
      const sealedResponse = altered.toString('base64');

      expect(() => openIdempotencyRecord(ACCOUNT, KEY, { ...RECORD, sealedResponse })).toThrow();
    }
    expect(() => openIdempotencyRecord(ACCOUNT, KEY, { ...RECORD, sealedResponse: '' })).toThrow();
  });
});

describe('hashIdempotencyKey', () => {
  test('is the same only for the same key of the same account', () => {
    expect(hashIdempotencyKey(ACCOUNT, KEY)).toBe(RECORD.keyHash);
    expect(hashIdempotencyKey(OTHER_ACCOUNT, KEY)).not.toBe(RECORD.keyHash);
    expect(hashIdempotencyKey(ACCOUNT, KEY.toUpperCase())).not.toBe(RECORD.keyHash);
  });
});

describe('fingerprintOf', () => {
  test('is the same only for the same content, account and key', () => {
    expect(fingerprintOf(ACCOUNT, KEY, REPEATABLE.content)).toBe(RECORD.fingerprint);
    expect(fingerprintOf(ACCOUNT, KEY, 'other')).not.toBe(RECORD.fingerprint);
    expect(fingerprintOf(OTHER_ACCOUNT, KEY, REPEATABLE.content)).not.toBe(RECORD.fingerprint);
    expect(fingerprintOf(ACCOUNT, 'k', REPEATABLE.content)).not.toBe(RECORD.fingerprint);
  });
});
