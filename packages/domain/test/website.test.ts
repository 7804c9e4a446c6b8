import { describe, expect, test } from 'vitest';
import { aWebsite } from '../../testing/src/fixtures.ts';
import {
  changeWebsite,
  makeWebsite,
  parseNewWebsite,
  parseWebsiteChanges,
  type Website,
  type WebsiteInput,
} from '../src/websites/website.ts';
import { faultsOf, named } from './faults.ts';

const URL = 'https://café.example/a%20b';
const ID = '01997c3e-0000-7000-8000-000000000042';
const HASH = '$argon2id$v=19$é 🦊';
const LATER = new Date('2026-11-21T00:00:00.456Z');

const change = (website: Website, input: WebsiteInput, passwordHash: string | null = null, now = LATER) =>
  changeWebsite(website, parseWebsiteChanges(input), passwordHash, now);

describe('parseNewWebsite: defaults', () => {
  test.each([
    ['privacy', 'private'],
    ['password', null],
    ['emailReports', false],
    ['report', 'weekly'],
    ['excludeBots', true],
    ['excludedParams', []],
    ['excludedIps', []],
    ['timeZone', null],
    ['aliases', []],
    ['embedOrigins', []],
    ['label', null],
    ['language', null],
    ['engagement', false],
  ] as const)('%s defaults to %j', (field, value) => {
    expect(parseNewWebsite({ url: URL })[field]).toEqual(value);
  });

  test('no default replaces a sent value', () => {
    const sent = {
      url: 'http://example.com',
      privacy: 'public',
      password: ' pässwörd 🦊 ',
      emailReports: true,
      report: 'both',
      excludeBots: false,
      excludedParams: ['sid'],
      excludedIps: ['::1'],
      timeZone: 'Asia/Kolkata',
      aliases: ['matomo:3'],
      embedOrigins: ['*'],
      label: 'é 🦊',
      language: 'de',
      engagement: true,
      pageRules: ['?sort'],
    } as const;

    expect(parseNewWebsite(sent)).toEqual(sent);
  });

  test('url has no default and is required', () => {
    expect(named(faultsOf(() => parseNewWebsite({})))).toEqual(['url required']);
    expect(named(faultsOf(() => parseNewWebsite({ url: '' })))).toEqual(['url required']);
  });
});

describe('parseNewWebsite', () => {
  test('puts every field into normal form', () => {
    const website = parseNewWebsite({
      url: 'HTTPS://CAFÉ.example:443/',
      password: '',
      excludedParams: [' sid ', '', 'sid'],
      excludedIps: ['203.0.113.*', '203.0.113.9/24'],
      timeZone: ' europe/berlin',
    });

    expect(website).toMatchObject({
      url: 'https://xn--caf-dma.example',
      password: null,
      excludedParams: ['sid'],
      excludedIps: ['203.0.113.0/24'],
      timeZone: 'Europe/Berlin',
    });
  });
});

describe('parseWebsiteChanges: no defaults on update', () => {
  test('an absent field stays absent', () => {
    expect(parseWebsiteChanges({})).toEqual({});
    expect(parseWebsiteChanges({ excludeBots: false })).toEqual({ excludeBots: false });
  });

  test('an absent field keeps its value', () => {
    const website = aWebsite({ privacy: 'password', passwordHash: HASH, emailReports: true, excludeBots: false });

    const changed = change(website, { url: 'http://example.com' });

    expect(changed).toEqual({ ...website, url: 'http://example.com', updatedAt: LATER });
  });

  test('an empty text or list clears a field; url cannot be cleared', () => {
    const website = aWebsite({ passwordHash: HASH });

    const changed = change(website, { password: '', excludedParams: [''], excludedIps: [] });

    expect(changed).toMatchObject({ passwordHash: null, excludedParams: [], excludedIps: [] });
    expect(named(faultsOf(() => parseWebsiteChanges({ url: '' })))).toEqual(['url required']);
  });
});

describe('password: 1 to 256 code points as sent', () => {
  test.each(['x', ' ', '\t pässwörd\n', '🦊'.repeat(256)])('%j is kept as sent', (password) => {
    expect(parseNewWebsite({ url: URL, password }).password).toBe(password);
    expect(parseWebsiteChanges({ password }).password).toBe(password);
  });

  test('257 are too long', () => {
    const password = '🦊'.repeat(257);

    expect(named(faultsOf(() => parseNewWebsite({ url: URL, password })))).toEqual(['password too_long']);
    expect(named(faultsOf(() => parseWebsiteChanges({ password })))).toEqual(['password too_long']);
  });

  test.each(['é\0', '\ud83e', 'a\udc00\ud83e'])('a NUL or a lone surrogate is rejected: %j', (password) => {
    expect(named(faultsOf(() => parseNewWebsite({ url: URL, password })))).toEqual(['password not_allowed']);
    expect(named(faultsOf(() => parseWebsiteChanges({ password })))).toEqual(['password not_allowed']);
  });

  test.each(['public', 'private', 'password'] as const)('is accepted and kept with privacy %s', (privacy) => {
    const input = parseNewWebsite({ url: URL, privacy, password: 'é' });

    expect(makeWebsite(input, HASH, ID, LATER)).toMatchObject({ privacy, passwordHash: HASH });
  });
});

describe('password_required', () => {
  const required = ['password password_required'];

  test.each([undefined, null, ''])('a new website with privacy "password" and password %j', (password) => {
    const input = { url: URL, privacy: 'password', ...(password === undefined ? {} : { password }) } as const;

    expect(named(faultsOf(() => parseNewWebsite(input)))).toEqual(required);
  });

  test('privacy "password" if no password is stored or sent', () => {
    const website = aWebsite({ passwordHash: null });

    expect(named(faultsOf(() => change(website, { privacy: 'password' })))).toEqual(required);
  });

  test.each([null, ''])('removing the password with %j while privacy is "password"', (password) => {
    const website = aWebsite({ privacy: 'password', passwordHash: HASH });

    expect(named(faultsOf(() => change(website, { password })))).toEqual(required);
  });

  test('privacy "password" and the removal of the password together', () => {
    const website = aWebsite({ passwordHash: HASH });

    expect(named(faultsOf(() => change(website, { privacy: 'password', password: '' })))).toEqual(required);
  });

  test('is not reported if the password itself is invalid', () => {
    const input = { url: URL, privacy: 'password', password: 'x'.repeat(257) } as const;

    expect(named(faultsOf(() => parseNewWebsite(input)))).toEqual(['password too_long']);
  });
});

describe('any privacy may follow any other', () => {
  const all = ['public', 'private', 'password'] as const;
  const pairs = all.flatMap((from) => all.filter((to) => to !== from).map((to) => [from, to] as const));

  test.each(pairs)('%s, then %s, keeping the password', (from, to) => {
    const changed = change(aWebsite({ privacy: from, passwordHash: HASH }), { privacy: to });

    expect(changed).toMatchObject({ privacy: to, passwordHash: HASH });
  });

  test('the password may be sent before or with the privacy that needs it', () => {
    const open = aWebsite({ passwordHash: null });

    const first = change(change(open, { password: 'é' }, HASH), { privacy: 'password' });
    const together = change(open, { privacy: 'password', password: 'é' }, HASH);

    expect(first).toMatchObject({ privacy: 'password', passwordHash: HASH });
    expect(together).toMatchObject({ privacy: 'password', passwordHash: HASH });
  });

  test('the password may be removed with or after the privacy that needs it', () => {
    const closed = aWebsite({ privacy: 'password', passwordHash: HASH });

    const together = change(closed, { privacy: 'private', password: null });
    const after = change(change(closed, { privacy: 'public' }), { password: null });

    expect(together).toMatchObject({ privacy: 'private', passwordHash: null });
    expect(after).toMatchObject({ privacy: 'public', passwordHash: null });
  });
});

describe('makeWebsite', () => {
  test('holds exactly the fields of a website, and never the password', () => {
    const input = parseNewWebsite({ url: URL, password: 'hush' });

    const website = makeWebsite(input, HASH, ID, LATER);

    const { password: _, ...settings } = input;
    expect(website).toEqual({ ...settings, id: ID, passwordHash: HASH, createdAt: LATER, updatedAt: LATER });
    expect(JSON.stringify(website)).not.toContain('hush');
  });
});
