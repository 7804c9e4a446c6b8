import { describe, expect, test } from 'vitest';
import { aWebsite } from '../src/testing.ts';
import {
  fingerprintOf,
  hashIdempotencyKey,
  IDEMPOTENCY_WINDOW_MS,
  makeStoreRecord,
  openStoreRecord,
} from '../src/website/idempotency.ts';
import { parseNewWebsite, type WebsiteInput } from '../src/website/website.ts';

const ACCOUNT = '01997c3e-0000-7000-8000-0000000000aa';
const OTHER_ACCOUNT = '01997c3e-0000-7000-8000-0000000000ab';
const KEY = 'order-"7"_~!';
const SENT: WebsiteInput = {
  url: 'https://café.example/a%20b/🦊',
  privacy: 'password',
  password: 'hush-hush',
  excludedParams: ['utm_*', 'é 🦊'],
  excludedIps: ['203.0.113.0/24', '2001:db8::1'],
};
const INPUT = parseNewWebsite(SENT);
const WEBSITE = aWebsite({ privacy: 'password', passwordHash: '$argon2id$v=19$hash' });
const RECORD = makeStoreRecord(ACCOUNT, KEY, INPUT, WEBSITE);

describe('makeStoreRecord', () => {
  test('neither the key nor the fields nor the password can be read in the record', () => {
    const kept = [
      JSON.stringify(RECORD),
      ...[RECORD.keyHash, RECORD.fingerprint, RECORD.sealedWebsite].flatMap((text) => [
        Buffer.from(text, 'base64').toString('latin1'),
        Buffer.from(text, 'base64').toString('utf8'),
      ]),
    ].join('\n');

    for (const secret of [
      KEY,
      'order-',
      'hush-hush',
      'argon2id',
      'xn--caf',
      'café',
      'example',
      'utm_*',
      '203.0.113',
      '2001:db8',
      WEBSITE.id,
    ]) {
      expect(kept).not.toContain(secret);
    }
  });

  test('two records of the same store are sealed differently', () => {
    const again = makeStoreRecord(ACCOUNT, KEY, INPUT, WEBSITE);

    expect(again.sealedWebsite).not.toBe(RECORD.sealedWebsite);
    expect(again).toMatchObject({ keyHash: RECORD.keyHash, fingerprint: RECORD.fingerprint });
  });

  test('the record is kept 24 hours', () => {
    expect(IDEMPOTENCY_WINDOW_MS).toBe(86_400_000);
    expect(RECORD.expiresAt.getTime() - WEBSITE.createdAt.getTime()).toBe(IDEMPOTENCY_WINDOW_MS);
  });
});

describe('openStoreRecord', () => {
  test('answers the website as it was, times to the millisecond included', () => {
    expect(openStoreRecord(ACCOUNT, KEY, RECORD)).toEqual(WEBSITE);
  });

  test.each([
    ['another key', ACCOUNT, `${KEY}x`],
    ['another account', OTHER_ACCOUNT, KEY],
    ['key and account the other way round', KEY, ACCOUNT],
  ])('%s cannot open it', (_, account, key) => {
    expect(() => openStoreRecord(account, key, RECORD)).toThrow();
  });

  test('an altered record cannot be opened', () => {
    const sealed = Buffer.from(RECORD.sealedWebsite, 'base64');
    for (const at of [0, 12, Math.floor(sealed.length / 2), sealed.length - 1]) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 1;

      expect(() => openStoreRecord(ACCOUNT, KEY, { ...RECORD, sealedWebsite: altered.toString('base64') })).toThrow();
    }
    expect(() => openStoreRecord(ACCOUNT, KEY, { ...RECORD, sealedWebsite: '' })).toThrow();
  });
});

describe('hashIdempotencyKey', () => {
  test('is the same for the same key of the same account alone', () => {
    expect(hashIdempotencyKey(ACCOUNT, KEY)).toBe(RECORD.keyHash);
    expect(hashIdempotencyKey(OTHER_ACCOUNT, KEY)).not.toBe(RECORD.keyHash);
    expect(hashIdempotencyKey(ACCOUNT, KEY.toUpperCase())).not.toBe(RECORD.keyHash);
  });
});

describe('fingerprintOf: the same fields, compared in normal form', () => {
  const fingerprint = (input: WebsiteInput, account = ACCOUNT, key = KEY) =>
    fingerprintOf(account, key, parseNewWebsite(input));

  test.each<[string, WebsiteInput]>([
    ['another spelling of the url', { ...SENT, url: 'HTTPS://xn--caf-dma.EXAMPLE:443/a%20b/%F0%9F%A6%8A/' }],
    [
      'another spelling of the lists',
      { ...SENT, excludedParams: ['utm_*', '', ' é 🦊 '], excludedIps: ['203.0.113.*', '2001:DB8::0:1'] },
    ],
    ['defaults that are sent', { ...SENT, emailReports: false, excludeBots: true }],
    ['members in another order', Object.fromEntries(Object.entries(SENT).reverse())],
  ])('%s is the same', (_, input) => {
    expect(fingerprint(input)).toBe(RECORD.fingerprint);
  });

  test.each<[string, WebsiteInput]>([
    ['url', { ...SENT, url: 'http://café.example/a%20b/🦊' }],
    ['privacy', { ...SENT, privacy: 'public' }],
    ['emailReports', { ...SENT, emailReports: true }],
    ['excludeBots', { ...SENT, excludeBots: false }],
    ['excludedParams', { ...SENT, excludedParams: ['é 🦊', 'utm_*'] }],
    ['excludedIps', { ...SENT, excludedIps: [] }],
  ])('another %s is not', (_, input) => {
    expect(fingerprint(input)).not.toBe(RECORD.fingerprint);
  });

  test('no entry of one list passes for two, or for one of the other list', () => {
    const { excludedParams: _, excludedIps: __, ...rest } = SENT;
    const prints = [
      { excludedParams: ['a', 'b'] },
      { excludedParams: ['a,b'] },
      { excludedParams: ['a","b'] },
      { excludedParams: ['::1'] },
      { excludedIps: ['::1'] },
    ].map((lists) => fingerprint({ ...rest, ...lists }));

    expect(new Set(prints).size).toBe(prints.length);
  });

  test('the password leaves no trace in it, because it could be guessed from a fast hash', () => {
    expect(fingerprint({ ...SENT, password: 'another' })).toBe(RECORD.fingerprint);
  });

  test('says nothing across accounts and keys', () => {
    expect(fingerprint(SENT, OTHER_ACCOUNT)).not.toBe(RECORD.fingerprint);
    expect(fingerprint(SENT, ACCOUNT, 'k')).not.toBe(RECORD.fingerprint);
  });
});
