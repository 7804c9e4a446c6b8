import { describe, expect, test } from 'vitest';
import { aWebsite } from '../../testing/src/fixtures.ts';
import { changeWebsite, parseWebsiteChanges, type Website, type WebsiteInput } from '../src/websites/website.ts';

const HASH = '$argon2id$v=19$é 🦊';
const OTHER_HASH = '$argon2id$v=19$other';
const LATER = new Date('2026-11-21T00:00:00.456Z');

const change = (website: Website, input: WebsiteInput, passwordHash: string | null = null, now = LATER) =>
  changeWebsite(website, parseWebsiteChanges(input), passwordHash, now);

describe('changes that change nothing', () => {
  test.each<[string, WebsiteInput]>([
    ['no changes', {}],
    ['the same values', { privacy: 'private', emailReports: false, excludeBots: true }],
    ['the same url in another spelling', { url: 'HTTPS://café.example:443/a%20b/🦊/' }],
    [
      'the same lists in another spelling',
      { excludedParams: [' utm_*', '', 'é 🦊'], excludedIps: ['203.0.113.*', '2001:DB8:0::1'] },
    ],
    ['the removal of a password that is not there', { password: null }],
  ])('%s: the same object is returned, with updatedAt unchanged', (_, input) => {
    const website = aWebsite();

    expect(change(website, input)).toBe(website);
  });

  test('sending a website back unchanged returns the same object', () => {
    const website = aWebsite();
    const { url, privacy, emailReports, excludeBots, excludedParams, excludedIps } = website;

    expect(change(website, { url, privacy, emailReports, excludeBots, excludedParams, excludedIps })).toBe(website);
  });

  test('another order of a list is a change', () => {
    const website = aWebsite({ excludedParams: ['a', 'b'] });

    expect(change(website, { excludedParams: ['b', 'a'] }).excludedParams).toEqual(['b', 'a']);
  });
});

describe('a change of a single field is a change', () => {
  test.each<[string, WebsiteInput, Partial<Website>]>([
    ['url', { url: 'http://example.com' }, { url: 'http://example.com' }],
    ['privacy', { privacy: 'public' }, { privacy: 'public' }],
    ['password', { password: null }, { passwordHash: null }],
    ['emailReports', { emailReports: true }, { emailReports: true }],
    ['excludeBots', { excludeBots: false }, { excludeBots: false }],
    ['excludedParams', { excludedParams: [] }, { excludedParams: [] }],
    ['excludedIps', { excludedIps: [] }, { excludedIps: [] }],
  ])('%s', (_, input, changes) => {
    const website = aWebsite({ passwordHash: HASH });

    expect(change(website, input)).toEqual({ ...website, ...changes, updatedAt: LATER });
  });
});

describe('a sent password is always a change', () => {
  test('even if it may be the same', () => {
    const website = aWebsite({ passwordHash: HASH });

    const changed = change(website, { password: 'é' }, OTHER_HASH);

    expect(changed).toEqual({ ...website, passwordHash: OTHER_HASH, updatedAt: LATER });
  });

  test('whatever its hash is', () => {
    const website = aWebsite({ passwordHash: HASH });

    const changed = change(website, { password: 'é' }, HASH);

    expect(changed).toEqual({ ...website, updatedAt: LATER });
  });
});

describe('updatedAt is strictly later with every change', () => {
  test.each([
    ['advances', '2026-11-20T12:00:00.124Z', '2026-11-20T12:00:00.124Z'],
    ['stands still', '2026-11-20T12:00:00.123Z', '2026-11-20T12:00:00.124Z'],
    ['moves back', '2020-01-01T00:00:00.000Z', '2026-11-20T12:00:00.124Z'],
  ])('if the clock %s', (_, now, updatedAt) => {
    const website = aWebsite();

    const changed = change(website, { excludeBots: false }, null, new Date(now));

    expect(changed.updatedAt.toISOString()).toBe(updatedAt);
    expect(changed.createdAt).toEqual(website.createdAt);
  });

  test('the original website is not modified', () => {
    const website = Object.freeze(aWebsite());

    change(website, { excludeBots: false, excludedIps: [] });

    expect(website).toEqual(aWebsite());
  });
});
