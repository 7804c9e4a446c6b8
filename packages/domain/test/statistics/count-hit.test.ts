import { describe, expect, test } from 'vitest';
import { aWebsite } from '../../../testing/src/fixtures.ts';
import { timeZone } from '../../src/calendar/time-zone.ts';
import { compileSettings, countHit } from '../../src/hits/count-hit.ts';
import { explainHit } from '../../src/hits/explain-hit.ts';
import type { Website } from '../../src/websites/website.ts';
import { aHit, type HitFields } from './hits.ts';
import { lookups } from './lookups.ts';

const EX = { url: 'https://www.ex.com/blog', excludedIps: ['198.51.100.1', '203.0.113.0/24'], excludedParams: [] };
const FIREFOX = 'Mozilla/5.0 Firefox/150.0';

/** The hit of a browser. */
const ofBrowser = (fields: HitFields) => aHit({ userAgent: FIREFOX, sender: 'browser', ...fields });

const settingsOf = (website: Partial<Website> = {}) =>
  compileSettings(aWebsite({ ...EX, ...website }), timeZone('UTC'));

function count(hit: HitFields, website: Partial<Website> = {}) {
  return countHit(settingsOf(website), ofBrowser(hit), lookups);
}

const reasonOf = (...args: Parameters<typeof count>) => count(...args).drop?.reason;

describe('countHit', () => {
  test('keeps what the contract names, and neither address nor user agent', () => {
    const outcome = count(
      {
        url: 'https://ex.com/a/?page=2&utm_source=nl',
        referrer: 'https://other.example/',
        name: 'Signup',
        props: { plan: 'pro' },
        ip: '2001:db8::1',
        language: 'de-AT,en;q=0.5',
      },
      { excludedIps: [] },
    );

    expect(outcome).toEqual({
      drop: undefined,
      details: {
        host: 'ex.com',
        page: '/a?page=2',
        referrer: 'other.example',
        source: 'nl',
        channel: 'Campaign',
        utmSource: 'nl',
        utmMedium: null,
        utmCampaign: null,
        utmContent: null,
        utmTerm: null,
        country: null,
        language: 'de',
        browser: 'Firefox',
        os: 'Linux',
        device: 'desktop',
        network: null,
        name: 'Signup',
        props: { plan: 'pro' },
      },
      removedParameters: [{ name: 'utm_source', by: 'built_in' }],
    });
  });

  test('keeps whether the address is of a hosting network, and counts the hit', () => {
    const networkOf = (ip?: string) => count({ url: 'https://ex.com/a', ip }).details?.network;

    expect([networkOf('192.0.2.1'), networkOf('198.51.100.2'), networkOf()]).toEqual(['hosting', null, null]);
  });

  test.each([
    ['de-DE,en;q=0.5', 'de'],
    [' EN', 'en'],
    ['haw', 'haw'],
    ['de_DE', 'de'],
    ['*', null],
    ['', null],
    ['x', null],
    ['english', null],
    [undefined, null],
  ])('of the language %j it keeps %j', (language, kept) => {
    expect(count({ ...(language === undefined ? {} : { language }) })).toMatchObject({ details: { language: kept } });
  });

  test('a hit without user agent and address has no browser, system or country', () => {
    const outcome = countHit(settingsOf(), aHit({ ip: undefined, visitor: 'v' }), lookups);

    expect(outcome).toMatchObject({ details: { browser: null, os: null, device: 'other', country: null } });
  });
});

describe('prefetch', () => {
  test('drops a page that is only prefetched', () => {
    expect(reasonOf({ prefetch: true })).toBe('prefetch');
  });
});

describe('foreign_host', () => {
  test.each([
    ['http://ex.com:8080/elsewhere', undefined],
    ['https://WWW.ex.com/', undefined],
    ['https://shop.ex.com/', undefined],
    ['https://www.shop.ex.com/', undefined],
    ['https://notex.com/', 'foreign_host'],
    ['https://com/', 'foreign_host'],
    ['https://ex.com.evil.example/', 'foreign_host'],
    ['https://ex.com@evil.example/', 'foreign_host'],
    ['https://./', 'foreign_host'],
  ])('of %s: %s', (url, reason) => {
    expect(reasonOf({ url })).toBe(reason);
  });
});

describe('same_page', () => {
  const reasonAt = (url: string, referrer: string, more: HitFields = {}, website: Partial<Website> = {}) =>
    reasonOf({ url: `https://ex.com${url}`, referrer, sameDocument: true, ...more }, website);

  test.each([
    ['/a', 'https://www.ex.com/a?utm_source=nl&fbclid=b#top'],
    ['/a?utm_source=nl', 'https://ex.com/a'],
    ['/a?x=1', 'https://ex.com/a?token=b&x=1'],
    ['/a', 'https://ex.com/a?code=b&state=c&session_state=d&scope=e'],
    ['/a', 'https://ex.com/a?session=b'],
    ['/%C3%A9/', 'https://ex.com/%c3%a9'],
    ['/a#/b', 'https://ex.com/a#/b?ref=c'],
  ])('drops %s, reached from %s without loading', (url, referrer) => {
    expect(reasonAt(url, referrer, {}, { excludedParams: ['session'] })).toBe('same_page');
  });

  test.each([
    ['/b', 'https://ex.com/a'],
    ['/a?page=2', 'https://ex.com/a'],
    ['/a', 'https://ex.com/a?page=2'],
    ['/a?code=2', 'https://ex.com/a?code=1'],
    ['/a?code=2', 'https://ex.com/a'],
    ['/a', 'https://shop.ex.com/a'],
    ['/a#/b', 'https://ex.com/a#/c'],
    ['/a', 'nonsense'],
  ])('does not drop %s, reached from %s', (url, referrer) => {
    expect(reasonAt(url, referrer)).toBeUndefined();
  });

  test('drops neither events, nor pages that were loaded', () => {
    expect(reasonAt('/a', 'https://ex.com/a', { name: 'Signup' })).toBeUndefined();
    expect(reasonAt('/a', 'https://ex.com/a', { sameDocument: false })).toBeUndefined();
  });
});

describe('excluded_ip', () => {
  test.each(['203.0.113.7', '::ffff:203.0.113.7', '::FFFF:cb00:7107'])('drops %s', (ip) => {
    expect(count({ ip }).drop).toMatchObject({ reason: 'excluded_ip', rule: { line: 2, entry: '203.0.113.0/24' } });
  });

  test("an address that comes with a server's visitor is excluded, too", () => {
    expect(reasonOf({ ip: '203.0.113.7', visitor: 'v', sender: 'server' })).toBe('excluded_ip');
  });
});

describe('bot', () => {
  test.each([
    ['an automated browser', { automated: true }],
    ['a browser without a user agent', { userAgent: '' }],
    ['a user agent of a bot', { userAgent: 'Googlebot/2.1' }],
  ])('drops %s, only while exclude_bots is on', (_, hit) => {
    expect(reasonOf(hit)).toBe('bot');
    expect(reasonOf(hit, { excludeBots: false })).toBeUndefined();
  });

  test('a server hit without a user agent is not a bot', () => {
    expect(reasonOf({ userAgent: '', sender: 'server' })).toBeUndefined();
  });
});

describe('spam_referrer', () => {
  test.each(['https://spam.example/', 'http://www.a.spam.example/x'])(
    'drops %s, only while exclude_bots is on',
    (referrer) => {
      expect(reasonOf({ referrer })).toBe('spam_referrer');
      expect(reasonOf({ referrer }, { excludeBots: false })).toBeUndefined();
    },
  );
});

describe('the first rule that applies decides', () => {
  test('in the order of the contract', () => {
    const all = {
      prefetch: true,
      url: 'https://evil.example/',
      ip: '203.0.113.7',
      automated: true,
      referrer: 'https://spam.example/',
    };

    expect(reasonOf(all)).toBe('prefetch');
    expect(reasonOf({ ...all, prefetch: false })).toBe('foreign_host');
    expect(reasonOf({ ...all, prefetch: false, url: 'https://ex.com/' })).toBe('excluded_ip');
    expect(reasonOf({ referrer: all.referrer, automated: true })).toBe('bot');
    expect(reasonOf({ referrer: all.referrer })).toBe('spam_referrer');
  });
});

describe('explainHit', () => {
  const explain = (hit: HitFields) => explainHit(settingsOf(), aHit({ userAgent: FIREFOX, ...hit }), lookups);

  test('returns the reason, the rule and a sentence', () => {
    expect(explain({ ip: '203.0.113.9' })).toMatchObject({
      drop: { reason: 'excluded_ip', rule: { line: 2, entry: '203.0.113.0/24' } },
      detail: '203.0.113.9 is in 203.0.113.0/24, line 2 of exclude_ips.',
      details: undefined,
      removedParameters: [],
    });
  });

  test.each([
    [{ ip: '198.51.100.1' }, '198.51.100.1 is line 1 of exclude_ips.'],
    [{ ip: '::ffff:198.51.100.1' }, '::ffff:198.51.100.1 is 198.51.100.1, line 1 of exclude_ips.'],
    [{ prefetch: true }, 'The browser fetched or rendered the page ahead of a visit.'],
    [{ url: 'https://evil.example/' }, 'The host evil.example is neither ex.com nor below it.'],
    [{ automated: true }, 'The browser says that a program drives it.'],
    [{ userAgent: 'Googlebot' }, 'The user agent belongs to a bot.'],
    [{ referrer: 'https://www.spam.example/' }, 'The referrer spam.example is on the list of referrer spammers.'],
    [{ url: 'https://ex.com/a?b=1' }, 'The hit counts as a pageview of /a?b=1.'],
    [{ name: 'Signup' }, 'The hit counts as an event of /a.'],
  ])('%j: %s', (hit, detail) => {
    expect(explain(hit).detail).toBe(detail);
  });

  test("a missing user agent is judged as a browser's", () => {
    expect(explain({ userAgent: '' })).toMatchObject({ detail: 'The hit has no user agent.', drop: { reason: 'bot' } });
  });

  test('returns what would be kept and which parameters are removed', () => {
    expect(explain({ url: 'https://ex.com/a/?utm_source=nl&page=2' })).toMatchObject({
      details: { host: 'ex.com', page: '/a?page=2', source: 'nl', channel: 'Campaign', utmSource: 'nl' },
      removedParameters: [{ name: 'utm_source', by: 'built_in' }],
    });
  });
});

test('the days of a website are in its time zone, or in the zone of the installation', () => {
  expect(settingsOf({ timeZone: 'Pacific/Kiritimati' }).zone.name).toBe('Pacific/Kiritimati');
  expect(settingsOf({ timeZone: null }).zone.name).toBe('UTC');
});
