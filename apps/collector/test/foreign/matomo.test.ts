import { createInMemoryRepositories } from '@hitherto/memory';
import { aWebsite } from '@hitherto/testing/fixtures';
import MatomoTracker from 'matomo-tracker';
import { describe, expect, test } from 'vitest';
import { BROWSER, serveCollector } from '../support/collector.ts';
import { addKey } from '../support/keys.ts';

const websites = [aWebsite({ url: 'https://ex.com', aliases: ['matomo:3'] })];
const BASE = 'idsite=3&rec=1';
const PAGE = `${BASE}&url=${encodeURIComponent('https://ex.com/a?utm_source=nl')}`;

async function serve() {
  const { access } = createInMemoryRepositories();
  const own = await addKey(access);
  const collector = await serveCollector({ websites, access, accountId: own.accountId });
  const get = (query: string, headers: Record<string, string> = {}) =>
    collector.ask({ method: 'GET', url: `/matomo.php?${query}`, headers });
  const post = (payload: string, query = '', headers: Record<string, string> = {}) =>
    collector.ask({ method: 'POST', url: `/matomo.php${query}`, payload, headers });
  return { ...collector, ...own, get, post };
}

describe('/matomo.php', () => {
  test.each(['/matomo.php', '/piwik.php'])('counts a pageview at %s and responds with the pixel', async (path) => {
    const { ask, hits } = await serve();

    const { status, headers } = await ask({
      method: 'GET',
      url: `${path}?${PAGE}&urlref=https%3A%2F%2Fwww.google.de%2F&action_name=A&_id=0123456789abcdef&rand=1&res=10x10&uid=u`,
    });

    expect([status, headers['content-type'], headers['content-length']]).toEqual([200, 'image/gif', '43']);
    expect(hits.stored).toMatchObject([{ page: '/a', utmSource: 'nl', name: null, referrer: 'google.de' }]);
  });

  test('joins query and body, and responds with 204 to who wants no image', async () => {
    const { post, hits } = await serve();

    const inBody = await post(`${PAGE}&send_image=0`);
    const emptyBody = await post('', `?${PAGE}&send_image=0`);
    const both = await post('url=https://ex.com/b', `?${BASE}`, { 'content-type': 'text/plain' });

    expect([inBody.status, emptyBody.status, both.status]).toEqual([204, 204, 200]);
    expect(hits.stored.map(({ page }) => page)).toEqual(['/a', '/a', '/b']);
  });

  test.each<[string, string, object]>([
    [
      'an event',
      'e_c=Videos&e_a=Play&e_n=Intro&e_v=3.5',
      { name: 'Play', props: { category: 'Videos', name: 'Intro', value: 3.5 } },
    ],
    ['an event with little', 'e_c=Videos&e_a=Play', { name: 'Play', props: { category: 'Videos' } }],
    [
      'a link',
      'link=https%3A%2F%2Fother.example%2Fx%3Fq%3D1',
      { name: 'Outbound link', props: { url: 'other.example/x' } },
    ],
    ['a download', 'download=https%3A%2F%2Fex.com%2Ff.pdf', { name: 'Download', props: { url: 'ex.com/f.pdf' } }],
    [
      'a search',
      'search=boots&search_cat=Shoes&search_count=7',
      { name: 'Search', props: { keyword: 'boots', category: 'Shoes', count: 7 } },
    ],
    ['a goal', 'idgoal=2&revenue=9.9', { name: 'Goal 2', props: { revenue: 9.9 } }],
    ['an order', 'idgoal=0&ec_id=A1&revenue=20', { name: 'Order', props: { revenue: 20 } }],
  ])('counts %s as an event', async (_, query, expected) => {
    const { get, hits } = await serve();

    await get(`${PAGE}&${query}`);

    expect(hits.stored).toMatchObject([{ page: '/a', ...expected }]);
  });

  test('counts a link whose target is repeated as the page on the page that links', async () => {
    const { get, hits } = await serve();
    const target = encodeURIComponent('https://other.example/x');

    await get(`${BASE}&link=${target}&url=${target}`, { referer: 'https://ex.com/b' });

    expect(hits.stored).toMatchObject([{ page: '/b', name: 'Outbound link' }]);
  });

  test('takes the Referer for the page of an image without a url', async () => {
    const { get, hits } = await serve();

    await get(BASE, { referer: 'https://ex.com/c' });
    await get(BASE);

    expect(hits.stored.map(({ page }) => page)).toEqual(['/c', '/']);
  });

  test.each(['ping=1', 'ca=1', 'c_n=Banner&c_i=click', 'idgoal=0&ec_items=%5B%5D', 'fa_id=x', 'hsr_vid=x'])(
    'counts nothing of %s',
    async (query) => {
      const { get, hits } = await serve();

      expect([(await get(`${PAGE}&${query}`)).status, hits.stored]).toEqual([200, []]);
    },
  );

  test.each([
    ['nothing', ''],
    ['no rec', 'idsite=3&url=https://ex.com/'],
    ['no site', 'rec=1&url=https://ex.com/'],
    ['an unknown site', 'idsite=4&rec=1&url=https://ex.com/'],
    ['a url that is none', `${BASE}&url=https%3A%2F%2F%5B%3A%3A1%2F`],
    ['a url that is too long', `${BASE}&url=https://ex.com/${'x'.repeat(5_000)}`],
  ])('rejects %s with 400 and the pixel', async (_, query) => {
    const { get, hits } = await serve();

    const { status, headers } = await get(query);

    expect([status, headers['content-type'], hits.stored]).toEqual([400, 'image/gif', []]);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('says why a hit was dropped', async () => {
    const { get } = await serve();

    const bot = await get(PAGE, { 'user-agent': 'a bot' });
    const foreign = await get(`${BASE}&url=https%3A%2F%2Fother.example%2F`);

    expect([bot.status, bot.headers['hitherto-dropped']]).toEqual([200, 'bot']);
    expect([foreign.status, foreign.headers['hitherto-dropped']]).toEqual([200, 'foreign_host']);
  });

  test('believes address, agent, language and time with token_auth, and not without', async () => {
    const { get, hits, key } = await serve();
    const claims = 'cip=198.18.0.9&ua=Mozilla%2F5.0%20Claimed&lang=fr&cdt=2026-11-20%2011%3A59%3A00';

    const claimed = await get(`${PAGE}&${claims}&token_auth=${key}`);
    const unclaimed = await get(`${PAGE}&${claims}`);
    const wrong = await get(`${PAGE}&${claims}&token_auth=0123`);

    expect([claimed.status, unclaimed.status, wrong.status]).toEqual([200, 200, 401]);
    expect(hits.stored).toMatchObject([
      { language: 'fr', country: null, time: new Date('2026-11-20T11:59:00.000Z') },
      { language: 'de', country: 'DE', time: new Date('2026-11-20T12:00:00.000Z') },
    ]);
  });

  test('takes an empty token_auth for none', async () => {
    const { get, hits, key } = await serve();

    const unclaimed = await get(`${PAGE}&cip=198.18.0.9&token_auth=`);
    const claimed = await get(`${PAGE}&cip=198.18.0.9&token_auth=`, { authorization: `Bearer ${key}` });

    expect([unclaimed.status, claimed.status]).toEqual([200, 200]);
    expect(hits.stored).toMatchObject([{ country: 'DE' }, { country: null }]);
  });

  test('a HEAD counts nothing', async () => {
    const { ask, hits } = await serve();

    expect((await ask({ method: 'HEAD', url: `/matomo.php?${PAGE}` })).status).toBe(200);
    expect(hits.stored).toEqual([]);
  });
});

describe('CORS', () => {
  test.each<[number, 'GET' | 'POST' | 'OPTIONS', string, Record<string, string>?]>([
    [200, 'GET', `/matomo.php?${PAGE}`],
    [200, 'POST', `/piwik.php?${PAGE}`],
    [204, 'OPTIONS', '/matomo.php'],
    [204, 'OPTIONS', '/piwik.php'],
    [400, 'GET', '/piwik.php?rec=1'],
    [401, 'POST', `/matomo.php?${PAGE}&token_auth=x`],
    [400, 'POST', `/matomo.php?${PAGE}`, { host: 'not a host' }],
  ])('lets a page that sends credentials read a %i: %s %s', async (expected, method, url, more) => {
    const { ask } = await serve();

    const { status, headers } = await ask({ method, url, headers: { origin: 'https://ex.com', ...more } });

    expect(status).toBe(expected);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://ex.com',
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'Hitherto-Dropped, Hitherto-Measure, Retry-After',
      vary: 'Origin',
    });
    expect(headers).not.toHaveProperty('set-cookie');
  });
});

describe('bulk requests', () => {
  const bulk = (requests: unknown[], more: object = {}) => JSON.stringify({ requests, ...more });

  test('are counted each for itself, whatever their type says', async () => {
    const { post, hits } = await serve();
    const requests = [
      `?${PAGE}`,
      '?idsite=9&rec=1&url=https://ex.com/',
      { idsite: 3, rec: 1, url: 'https://ex.com/b' },
      'x',
      `?${PAGE}&ping=1`,
    ];

    const { status, text } = await post(bulk(requests), '', { 'content-type': 'application/x-www-form-urlencoded' });

    expect([status, JSON.parse(text)]).toEqual([200, { status: 'success', tracked: 3, invalid: 2 }]);
    expect(hits.stored.map(({ page }) => page)).toEqual(['/a', '/b']);
  });

  test('are believed with token_auth, and then say which were invalid', async () => {
    const { post, hits, key } = await serve();
    const old = `?${PAGE}&cip=198.18.0.9&cdt=2026-11-18%2011%3A59%3A00`;

    const { text } = await post(bulk([`?${PAGE}&cip=198.18.0.9`, old], { token_auth: key }));

    expect(JSON.parse(text)).toEqual({ status: 'success', tracked: 1, invalid: 1, invalid_indices: [1] });
    expect(hits.stored).toMatchObject([{ country: null }]);
  });

  test.each([
    ['no list', '{"requests":7}'],
    ['broken JSON', '{"requests":['],
    ['more than 500', bulk(Array(501).fill(`?${PAGE}`))],
  ])('are rejected with %s', async (_, body) => {
    const { post, hits } = await serve();

    const { status, text } = await post(body);

    expect([status, JSON.parse(text)]).toEqual([400, { status: 'error', tracked: 0, invalid: 0 }]);
    expect(hits.stored).toEqual([]);
  });
});

test('the tracker of Matomo for Node sends single hits and bulks', async () => {
  const { app, hits, key } = await serve();
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const tracker = new MatomoTracker(3, `${url}/matomo.php`);
  const failures: unknown[] = [];
  tracker.on('error', (error: unknown) => failures.push(error));
  const { 'user-agent': ua } = BROWSER;

  tracker.track({ url: 'https://ex.com/single', ua, token_auth: key, cip: '198.51.100.8' });
  await expect.poll(() => hits.stored).toHaveLength(1);
  const answer = await new Promise<string>((resolve) => {
    const more = { ua, token_auth: key, cip: '198.51.100.8' };
    tracker.trackBulk(
      [
        { url: 'https://ex.com/b1', ...more },
        { url: 'https://ex.com/b2', ...more, e_c: 'C', e_a: 'Act' },
      ],
      resolve,
    );
  });

  expect(JSON.parse(answer)).toMatchObject({ status: 'success', tracked: 2, invalid: 0 });
  expect(hits.stored).toMatchObject([
    { page: '/single', country: 'DE' },
    { page: '/b1' },
    { page: '/b2', name: 'Act' },
  ]);
  expect(failures).toEqual([]);
});
