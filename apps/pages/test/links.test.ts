import { randomBytes } from 'node:crypto';
import { newId } from '@hitherto/adapters/system';
import { type Definition, type Privacy, signIn, type Website } from '@hitherto/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  PASSWORD,
  PASSWORD_HASH,
  type PagesUnderTest,
  type Received,
  startPages,
  startPagesForTest,
} from './support/pages.ts';
import { share } from './support/sharing.ts';

// sharing.md, "Shared links"

const HOUR_MS = 3_600_000;
/** Each route of a statistics page, with a part of the response that only its numbers have. */
const ROUTES: readonly (readonly [path: string, sign: string])[] = [
  ['', 'data-metric'],
  ['/by/page', 'data-metric'],
  ['/by/page.csv', 'visitors'],
  ['/by/property?event=E&property=p', 'data-dimension="property"'],
  ['/by/property.csv?event=E&property=p', 'visitors'],
  ['/series.csv', 'visitors'],
  ['/goals.csv', 'goal'],
  ['/suggestions?add=page', '<datalist'],
];

async function addSegment(pages: PagesUnderTest, website: Website, country: string, name = 'é <b>'): Promise<string> {
  const definition: Definition<'segment'> = {
    id: newId(),
    name,
    content: {
      match: 'all',
      filters: [{ kind: 'dimension', dimension: 'country', comparator: 'is', isNegated: false, values: [country] }],
    },
    createdAt: pages.clock.now(),
    updatedAt: pages.clock.now(),
  };
  await pages.repositories.definitions.insert(
    'segment',
    { accountId: pages.accountId, websiteId: website.id },
    definition,
  );
  return definition.id;
}

async function sessionOf(pages: PagesUnderTest, accountId: string): Promise<Readonly<Record<string, string>>> {
  const deps = { ...pages.repositories, now: pages.clock.now, randomBytes };
  const { text = '' } = (await signIn(deps, await pages.issueKey(accountId))) ?? {};
  return { hitherto_session: text };
}

const unlockOf = async (pages: PagesUnderTest, path: string) =>
  (await pages.send('POST', `${path}/unlock`, { form: { password: PASSWORD } })).cookies;

function withoutIds({ headers, ...response }: Received) {
  const { 'x-request-id': _id, date: _date, ...rest } = headers;
  return { ...response, headers: rest };
}

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

      for (const [route, sign] of ROUTES) {
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

test('the password of a link opens that link only, until it expires', async () => {
  const pages = await startPagesForTest({ publicUrl: 'https://stats.example' });
  const website = await pages.addWebsite({ privacy: 'private' });
  const expires_at = new Date(pages.clock.now().getTime() + HOUR_MS).toISOString();
  const { path } = await share(pages, website, { password: PASSWORD, expires_at });

  const wrong = await pages.send('POST', `${path}/unlock?period=7d`, { form: { password: 'x' } });
  const right = await pages.send('POST', `${path}/unlock?period=7d`, { form: { password: PASSWORD } });

  expect([wrong.status, wrong.cookies]).toEqual([403, {}]);
  expect(wrong.text).toContain(`action="${path}/unlock?period=7d"`);
  expect([right.status, right.headers.location]).toEqual([303, `${path}?period=7d`]);
  expect(right.headers['set-cookie']).toMatch(
    new RegExp(`^hitherto_unlock=[^;]+; Max-Age=3600; Path=${path}; HttpOnly; Secure; SameSite=Lax$`),
  );
});

test('five wrong passwords in a minute lock out the network from that link, and from no other', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'private' });
  const [one, other] = [
    await share(pages, website, { password: PASSWORD }),
    await share(pages, website, { password: PASSWORD }),
  ];
  const unlock = (path: string, password: string) => pages.send('POST', `${path}/unlock`, { form: { password } });
  for (let tries = 0; tries < 5; tries += 1) await unlock(one.path, 'x');

  expect([(await unlock(one.path, PASSWORD)).status, (await unlock(other.path, PASSWORD)).status]).toEqual([429, 303]);
});

test('every link of a shared page stays beneath it, and nothing names the website’s id', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'private', url: 'https://example.com' });
  await pages.addHits(website, [{ name: 'E', props: { p: 'v' } }, { page: '/a' }]);
  await addSegment(pages, website, 'DE');
  const { path } = await share(pages, website);

  for (const route of ['', '?event=E', '/by/page', '?period=today&metric=visits']) {
    const { text } = await pages.send('GET', `${path}${route}`);
    const addresses = [...text.matchAll(/(?:href|action|data-suggestions)="([^"]*)"/g)].map(
      ([, address = '']) => address,
    );

    expect(addresses.length).toBeGreaterThan(12);
    expect(addresses.filter((each) => !each.startsWith(path) && !each.startsWith('/assets/'))).toEqual([]);
    expect(text).not.toContain(website.id);
  }
});

test('a shared page without hits shows no snippet', async () => {
  const pages = await startPagesForTest();
  const { path } = await share(pages, await pages.addWebsite({ privacy: 'private' }));

  const { text } = await pages.send('GET', path);

  expect(text).toContain('Nothing has been counted yet.');
  expect(text).not.toContain('data-website');
});

describe('a link with a segment', () => {
  async function start() {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ privacy: 'public' });
    const segment = await addSegment(pages, website, 'DE', 'Readers <b>');
    const other = await addSegment(pages, website, 'FR', 'Secret plan');
    const hit = (country: string, visitor: bigint) => ({
      visitor,
      country,
      page: `/of-${country}`,
      name: 'E',
      props: { p: `p-${country}` },
    });
    await pages.addHits(website, [
      { ...hit('DE', 1n), name: null, props: null },
      hit('DE', 1n),
      ...[2n, 3n, 4n].flatMap((visitor) => [{ ...hit('FR', visitor), name: null, props: null }, hit('FR', visitor)]),
    ]);
    return { pages, segment, other, ...(await share(pages, website, { segment })) };
  }

  test('shows its visits and no others, whatever the parameters', async () => {
    const { pages, path, segment, other } = await start();
    const queries = [
      '',
      'country=FR',
      'country.not=DE',
      'country=FR&country=DE&match=any',
      'country=FR&event=E&match=any',
      'page=/of-FR&match=any&page.not=/x',
      'page.like=*',
      'props[p]=p-FR',
      `segment=${other}`,
      `segment=${segment}&segment=${other}`,
      'segment=',
      'event=E',
      'event=E&property=p',
      'add=page',
      'add=country',
      'add=country&country=FR',
      'period=today&country=FR',
      'from=2026-11-19&to=2026-11-21',
      'list=country&list=region',
    ];

    for (const query of queries) {
      for (const [route] of ROUTES) {
        const address = `${path}${route}${route.includes('?') ? '&' : '?'}${query}`;
        const { text, status } = await pages.send('GET', address);

        expect([address, status]).toEqual([address, 200]);
        // A filter that was sent is repeated; values that were counted are cells, options and rows.
        expect([address, /data-value="[^"]*FR|<option value="[^"]*(?:FR|France)|^[^,\n]*FR/m.test(text)]).toEqual([
          address,
          false,
        ]);
        expect([address, /data-metric="visitors"[^>]*data-value="([2-9])"/.exec(text)]).toEqual([address, null]);
      }
    }
  });

  test('says which visits it shows, and no more about the website', async () => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', path);

    expect(text).toContain('Only visits of the segment');
    expect(text).toContain('Readers &lt;b>');
    expect(text).toMatch(/data-metric="visitors" data-value="1"/);
    expect(text).not.toContain('Secret plan');
    expect(text).not.toContain('Visitors of the last 5 minutes');
    expect(text).not.toContain('Counted since');
  });

  test('says so in a frame too, and on its lists', async () => {
    const { pages, path } = await start();

    for (const route of ['/by/page', '?embed=1', '/by/page?embed=1']) {
      const { text } = await pages.send('GET', `${path}${route}`);

      expect([route, text.includes('Only visits of the segment')]).toEqual([route, true]);
      expect(text).toContain('Readers &lt;b>');
    }
  });
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
