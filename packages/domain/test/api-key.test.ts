import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { anApiKey } from '../../testing/src/fixtures.ts';
import type { AccessRepository } from '../src/access/access-repository.ts';
import { covers, formatKey, hashKey, isUsable, KEY_BYTES } from '../src/access/api-key.ts';
import { authenticate } from '../src/access/keys.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM = Uint8Array.from({ length: KEY_BYTES }, (_, index) => 255 - index * 7);
const KEY = formatKey(RANDOM);
const NOW = new Date('2026-11-20T12:00:00.000Z');

/** Every text that differs from `text` in one character: replaced, left out or put in. */
function* alterationsOf(text: string): Generator<string> {
  const strangers = `${ALPHABET}_- \né`;
  for (let at = 0; at <= text.length; at += 1) {
    for (const character of strangers) {
      yield `${text.slice(0, at)}${character}${text.slice(at)}`;
      if (at < text.length && text[at] !== character) yield `${text.slice(0, at)}${character}${text.slice(at + 1)}`;
    }
    if (at < text.length) yield `${text.slice(0, at)}${text.slice(at + 1)}`;
  }
}

describe('formatKey', () => {
  test('is "hto_", 32 random bytes in base62 and a checksum', () => {
    expect(KEY_BYTES).toBe(32);
    expect(KEY).toMatch(/^hto_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
  });

  test.each([0, 255])('keeps its length for bytes that are all %i', (byte) => {
    const key = formatKey(new Uint8Array(KEY_BYTES).fill(byte));

    expect(key).toHaveLength(53);
    expect(hashKey(key)).toBeDefined();
  });

  test('encodes all of the random bytes', () => {
    const secret = [...KEY.slice(4, 47)].reduce((sum, digit) => sum * 62n + BigInt(ALPHABET.indexOf(digit)), 0n);

    expect(secret.toString(16).padStart(64, '0')).toBe(Buffer.from(RANDOM).toString('hex'));
  });

  test('does not change, so that keys of earlier versions keep working', () => {
    expect(formatKey(new Uint8Array(KEY_BYTES))).toBe('hto_00000000000000000000000000000000000000000002CZclj');
    expect(KEY).toBe('hto_yhKlHaJzjVGqpvhXgx9v8OcaCUhWukU6qvKVyBf4zRO1d2W0p');
  });
});

describe('hashKey', () => {
  test('is the SHA-256 of the whole key', () => {
    expect(hashKey(KEY)).toBe(createHash('sha256').update(KEY).digest('hex'));
  });

  test.each([
    '',
    'hto_',
    KEY.slice(4),
    ` ${KEY}`,
    `${KEY}\n`,
    KEY.toLowerCase(),
    KEY.toUpperCase(),
    `${KEY}${KEY}`,
    'é',
    '\0',
  ])('%j is not a key', (text) => {
    expect(hashKey(text)).toBeUndefined();
  });
});

describe('authenticate', () => {
  const found = (overrides: Parameters<typeof anApiKey>[0] = {}) => {
    const key = anApiKey({ hash: hashKey(KEY) ?? '', ...overrides });
    const lookUps: string[] = [];
    const unused = () => Promise.reject(new Error('Nobody asks for this.'));
    const access: AccessRepository = {
      findKeyByHash: async (hash) => {
        lookUps.push(hash);
        return hash === key.hash ? key : undefined;
      },
      findKey: unused,
      insertAccount: unused,
      updateAccount: unused,
      listAccounts: unused,
      findAccount: unused,
      findLogo: unused,
      deleteAccount: unused,
      insertKey: unused,
      listKeys: unused,
      listKeysOfPerson: unused,
      revokeKey: unused,
      recordKeyUse: unused,
    };
    return { key, lookUps, deps: { access, now: () => NOW } };
  };

  test('returns the stored key for its text', async () => {
    const { deps, key } = found();

    expect(await authenticate(deps, KEY)).toEqual(key);
  });

  test('every one-character alteration is rejected without a lookup', async () => {
    const { deps, lookUps } = found();

    const responses = [];
    for (const altered of alterationsOf(KEY)) responses.push(await authenticate(deps, altered));

    expect(responses.length).toBeGreaterThan(7000);
    expect(responses.filter((response) => response !== undefined)).toEqual([]);
    expect(lookUps).toEqual([]);
  });

  test('unknown, revoked and expired keys look alike', async () => {
    const unknown = await authenticate(found({ hash: 'né' }).deps, KEY);
    const revoked = await authenticate(found({ revokedAt: NOW }).deps, KEY);
    const expired = await authenticate(found({ expiresAt: NOW }).deps, KEY);

    expect([unknown, revoked, expired]).toEqual([undefined, undefined, undefined]);
  });
});

describe('isUsable', () => {
  test.each([
    ['a key that never expires', {}, true],
    ['a key that expires in a millisecond', { expiresAt: new Date(NOW.getTime() + 1) }, true],
    ['a key that expires now', { expiresAt: NOW }, false],
    ['a key that has expired', { expiresAt: new Date(0) }, false],
    ['a revoked key', { revokedAt: new Date(0) }, false],
    ['a key revoked before it expires', { revokedAt: NOW, expiresAt: new Date(NOW.getTime() + 1) }, false],
  ])('%s: %o → %s', (_, overrides, usable) => {
    expect(isUsable(anApiKey(overrides), NOW)).toBe(usable);
  });
});

describe('covers', () => {
  test.each([
    ['write', 'write', true],
    ['write', 'read', true],
    ['read', 'read', true],
    ['read', 'write', false],
  ] as const)('scope %s covers scope %s: %s', (granted, required, covered) => {
    expect(covers(granted, required)).toBe(covered);
  });
});
