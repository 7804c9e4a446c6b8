import { randomBytes } from 'node:crypto';
import { signInWithKey } from '@hitherto/domain/people';
import type { Privacy, Website } from '@hitherto/domain/websites';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addAFunnel, definer } from './support/definitions.ts';
import {
  NO_BROWSER,
  PASSWORD,
  PASSWORD_HASH,
  type PagesUnderTest,
  startPages,
  startPagesForTest,
  withoutIds,
} from './support/pages.ts';
import { share } from './support/sharing.ts';
import { statisticsRoutes } from './support/statistics-routes.ts';

// sharing.md, "Shared links"

const HOUR_MS = 3_600_000;

async function sessionOf(pages: PagesUnderTest, accountId: string): Promise<Readonly<Record<string, string>>> {
  const deps = { ...pages.repositories, now: pages.clock.now, randomBytes };
  const text = (await signInWithKey(deps, await pages.issueKey(accountId), NO_BROWSER)) ?? '';
  return { hitherto_session: text };
}

const unlockOf = async (pages: PagesUnderTest, path: string) =>
  (await pages.send('POST', `${path}/unlock`, { form: { password: PASSWORD } })).cookies;

type Cookies = (pages: PagesUnderTest, path: string, website: Website) => Promise<Readonly<Record<string, string>>>;
const VIEWERS: Readonly<Record<string, readonly [cookies: Cookies, isUnlocked: boolean]>> = {
  anyone: [async () => ({}), false],
  'the owner, who is signed in': [async (pages) => sessionOf(pages, pages.accountId), false],
  'another owner': [async (pages) => sessionOf(pages, pages.otherAccountId), false],
  'somebody with the password of the link': [unlockOf, true],
  'somebody with the password of the page': [
    async (pages, _path, website) => unlockOf(pages, `/statistics/${website.id}`),
    false,
  ],
  'somebody with the password of another link': [
    async (pages, _path, website) => unlockOf(pages, (await share(pages, website, { password: PASSWORD })).path),
    false,
  ],
};

type Ended = 'page' | 'form' | 'not_found';
/** What each kind of link shows to somebody with its password, and to all others. */
const LINKS: Readonly<
  Record<string, readonly [make: (pages: PagesUnderTest, website: Website) => Promise<string>, Ended, Ended]>
> = {
  'a link': [async (pages, website) => (await share(pages, website)).path, 'page', 'page'],
  'a link with a password': [
    async (pages, website) => (await share(pages, website, { password: PASSWORD })).path,
    'page',
    'form',
  ],
  'a revoked link': [
    async (pages, website) => {
      const { path, revoke } = await share(pages, website);
      await revoke();
      return path;
    },
    'not_found',
    'not_found',
  ],
  'an expired link': [
    async (pages, website) => {
      const expires_at = new Date(pages.clock.now().getTime() + HOUR_MS).toISOString();
      const { path } = await share(pages, website, { expires_at });
      pages.clock.advance(HOUR_MS);
      return path;
    },
    'not_found',
    'not_found',
  ],
  'an unknown link': [async () => `/share/${'A'.repeat(43)}`, 'not_found', 'not_found'],
  'a malformed link': [async () => '/share/x', 'not_found', 'not_found'],
};

const TABLE = (['public', 'private', 'password'] as const).flatMap((privacy) =>
  Object.keys(LINKS).map((link): [Privacy, string] => [privacy, link]),
);

describe.each(Object.entries(VIEWERS))('%s', (_, [cookiesOf, isUnlocked]) => {
  let pages: PagesUnderTest;
  beforeAll(async () => {
    pages = await startPages();
  });
  afterAll(() => pages.app.close());

  test.each(TABLE)(
    'on a website with privacy %s, by %s, sees exactly what is allowed on every route',
    async (privacy, linkName) => {
      const website = await pages.addWebsite({ privacy, passwordHash: PASSWORD_HASH });
      const hidden = await pages.addWebsite({ privacy: 'private', passwordHash: PASSWORD_HASH });
      await pages.addHits(website, [{}, { name: 'E', props: { p: 'v' } }]);
      const [make, unlocked = 'not_found', others = 'not_found'] = LINKS[linkName] ?? [];
      const path = (await make?.(pages, website)) ?? '';
      const cookies = await cookiesOf(pages, path, website);
      const expected = isUnlocked ? unlocked : others;

      for (const [route, sign] of statisticsRoutes(await addAFunnel(pages, website))) {
        const received = await pages.send('GET', `${path}${route}`, { cookies });
        const ofPrivate = await pages.send('GET', `/statistics/${hidden.id}${route}`);

        if (expected === 'not_found') expect(withoutIds(received)).toEqual(withoutIds(ofPrivate));
        else {
          expect([received.status, received.headers['cache-control'], received.cookies]).toEqual([200, 'no-store', {}]);
          expect(received.headers['x-robots-tag']).toBe('noindex');
          expect(received.headers['referrer-policy']).toBe('strict-origin');
          expect(received.text.includes('type="password"')).toBe(expected === 'form');
          expect(received.text.includes(sign)).toBe(expected === 'page');
        }
      }
    },
  );
});

test('unlocking a link that leads nowhere is the same 404, byte for byte, as for a private page', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'private', passwordHash: PASSWORD_HASH });
  const { path, revoke } = await share(pages, website, { password: PASSWORD });
  await revoke();

  const unlock = (page: string) => pages.send('POST', `${page}/unlock`, { form: { password: PASSWORD } });
  const ofPrivate = withoutIds(await unlock(`/statistics/${website.id}`));

  for (const page of [path, `/share/${'A'.repeat(43)}`, '/share/x'])
    expect(withoutIds(await unlock(page))).toEqual(ofPrivate);
});

test('an error beneath a link keeps its token out of the Referer, as a private page keeps its address', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'private' });
  const { path } = await share(pages, website);

  for (const route of ['/', '/nothing', '/by/bogus', '/by/page/', '/%zz']) {
    const [received, ofPrivate] = [
      await pages.send('GET', path + route),
      await pages.send('GET', `/statistics/${website.id}`),
    ];
    expect([route, received.status >= 400, received.headers['referrer-policy']]).toEqual([
      route,
      true,
      'strict-origin',
    ]);
    if (received.status === 404) expect(withoutIds(received)).toEqual(withoutIds(ofPrivate));
  }
  const { status, headers } = await pages.send('POST', path, { form: {} });
  expect([status, headers['referrer-policy']]).toEqual([405, 'strict-origin']);
});

test('every link of a shared page stays beneath it, and nothing names the website’s id', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'private', url: 'https://example.com' });
  await pages.addHits(website, [{ name: 'E', props: { p: 'v' } }, { page: '/a' }]);
  await definer(pages, website).addSegment({ name: 'é <b>', filters: [['country', ['DE']]] });
  const { path } = await share(pages, website);

  for (const route of ['', '?event=E', '/by/page', '?period=today&metric=visits']) {
    const { text } = await pages.send('GET', `${path}${route}`);
    const addresses = [...text.matchAll(/(?:href|action|data-suggestions)="([^"]*)"/g)].map(
      ([, address = '']) => address,
    );

    expect(addresses.length).toBeGreaterThan(12);
    const isBeneath = (address: string) => [path, '/assets/', '#'].some((start) => address.startsWith(start));
    expect(addresses.filter((each) => !isBeneath(each))).toEqual([]);
    expect(text).not.toContain(website.id);
  }
});

test('a shared page without hits shows no snippet', async () => {
  const pages = await startPagesForTest();
  const { path } = await share(pages, await pages.addWebsite({ privacy: 'private' }));

  const { text } = await pages.send('GET', path);

  expect(text).toContain('As soon as somebody visits');
  expect(text).not.toContain('data-website');
});

test('no token is in the log or in the metrics', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'private' });
  const { path, token } = await share(pages, website, { password: PASSWORD });
  for (const route of ['', '/by/page', '/nothing', '/by/page/', '/unlock']) await pages.send('GET', `${path}${route}`);
  await pages.send('POST', `${path}/unlock`, { form: { password: PASSWORD } });
  await pages.send('POST', path, { form: {} });

  const log = pages.logs.join('');
  expect(log).toContain('/share/:token');
  expect(log).not.toContain(token);
});
