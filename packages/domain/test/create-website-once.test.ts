import { describe, expect, test } from 'vitest';
import { AN_AUTHOR, fixedClock, sequentialIds } from '../../testing/src/fixtures.ts';
import type { Change } from '../src/changes/change.ts';
import { IDEMPOTENCY_WINDOW_MS } from '../src/changes/create-once.ts';
import type { IdempotencyRecord } from '../src/changes/idempotency-record.ts';
import { createWebsiteOnce } from '../src/websites/create-website.ts';
import { parseNewWebsite, type Website, type WebsiteInput } from '../src/websites/website.ts';

const ACCOUNT = '01997c3e-0000-7000-8000-0000000000aa';
const KEY = 'order-"7"_~!';
const SENT: WebsiteInput = {
  url: 'https://café.example/a%20b/🦊',
  privacy: 'password',
  password: 'hush-hush',
  excludedParams: ['utm_*', 'é 🦊'],
  excludedIps: ['203.0.113.0/24', '2001:db8::1'],
};

/** An account to create websites in, which remembers one record. */
function anAccount() {
  const clock = fixedClock();
  const created: Website[] = [];
  let kept: IdempotencyRecord | undefined;
  const deps = {
    directory: { findOwner: async () => undefined },
    websites: {
      insert: async (_accountId: string, website: Website, { record }: Change) => {
        created.push(website);
        kept = record;
        return undefined;
      },
    },
    idempotency: { find: async () => kept },
    passwords: {
      hash: async (password: string) => `hash of ${password}`,
      verify: async (hash: string, password: string) => hash === `hash of ${password}`,
    },
    author: AN_AUTHOR,
    now: clock.now,
    newId: sequentialIds(),
    randomBytes: (size: number) => new Uint8Array(size),
  };
  const create = (input: WebsiteInput) => createWebsiteOnce(deps, ACCOUNT, parseNewWebsite(input), KEY);
  const keep = (record: IdempotencyRecord) => {
    kept = record;
  };
  return { create, created, record: () => kept, keep };
}

describe('createWebsiteOnce', () => {
  test('creates a website once, and returns the same website for a repeat, times included', async () => {
    const account = anAccount();

    const first = await account.create(SENT);
    const second = await account.create(SENT);

    expect(first).toEqual({ resource: account.created[0], replayed: false });
    expect(second).toEqual({ resource: account.created[0], replayed: true });
    expect(account.created).toHaveLength(1);
  });

  test('keeps the record for 24 hours, with nothing readable in it', async () => {
    const account = anAccount();
    await account.create(SENT);
    const record = account.record();
    const texts = Object.values(record ?? {}).flatMap((text) => [
      `${text}`,
      Buffer.from(`${text}`, 'base64').toString(),
    ]);

    expect(IDEMPOTENCY_WINDOW_MS).toBe(86_400_000);
    expect(record?.expiresAt).toEqual(new Date('2026-11-21T12:00:00.000Z'));
    for (const secret of [KEY, 'hush', 'hash of', 'xn--caf', 'example', 'utm_*', '203.0.113', '01997c3e']) {
      expect(texts.join('\n')).not.toContain(secret);
    }
  });

  test.each<[string, WebsiteInput]>([
    ['another spelling of the url', { ...SENT, url: 'HTTPS://xn--caf-dma.EXAMPLE:443/a%20b/%F0%9F%A6%8A/' }],
    [
      'another spelling of the lists',
      { ...SENT, excludedParams: ['utm_*', '', ' é 🦊 '], excludedIps: ['203.0.113.*', '2001:DB8::0:1'] },
    ],
    ['defaults that are sent', { ...SENT, emailReports: false, excludeBots: true }],
    ['fields in another order', Object.fromEntries(Object.entries(SENT).reverse())],
  ])('treats %s as the same fields', async (_, input) => {
    const account = anAccount();
    await account.create(SENT);

    expect(await account.create(input)).toMatchObject({ replayed: true });
  });

  test.each<[string, WebsiteInput]>([
    ['url', { ...SENT, url: 'http://café.example/a%20b/🦊' }],
    ['privacy', { ...SENT, privacy: 'public' }],
    ['password', { ...SENT, password: 'another' }],
    ['emailReports', { ...SENT, emailReports: true }],
    ['report', { ...SENT, report: 'both' }],
    ['excludeBots', { ...SENT, excludeBots: false }],
    ['excludedParams', { ...SENT, excludedParams: ['é 🦊', 'utm_*'] }],
    ['excludedParams that join to the same', { ...SENT, excludedParams: ['utm_*","é 🦊'] }],
    ['excludedIps', { ...SENT, excludedIps: [] }],
    ['timeZone', { ...SENT, timeZone: 'Europe/Berlin' }],
    ['aliases', { ...SENT, aliases: ['matomo:3'] }],
    ['embedOrigins', { ...SENT, embedOrigins: ['*'] }],
    ['label', { ...SENT, label: 'Clients' }],
    ['language', { ...SENT, language: 'de' }],
  ])('rejects another %s', async (_, input) => {
    const account = anAccount();
    await account.create(SENT);

    await expect(account.create(input)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  test('rejects an added or removed password', async () => {
    const { password: _, ...open } = { ...SENT, privacy: 'private' } as const;
    const [without, withOne] = [anAccount(), anAccount()];
    await without.create(open);
    await withOne.create({ ...open, password: 'hush' });

    const reused = { code: 'idempotency_key_reused' };
    await expect(without.create({ ...open, password: 'hush' })).rejects.toMatchObject(reused);
    await expect(withOne.create(open)).rejects.toMatchObject(reused);
  });

  test('leaves no trace of the password in the fingerprint, because it could be guessed from a fast hash', async () => {
    const [one, other] = [anAccount(), anAccount()];
    await one.create(SENT);
    await other.create({ ...SENT, password: 'another' });

    expect(one.record()?.fingerprint).toBe(other.record()?.fingerprint);
  });
});
