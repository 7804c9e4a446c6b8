import { createInMemoryRepositories } from '@hitherto/memory';
import { aWebsite } from '@hitherto/testing/fixtures';
import { describe, expect, test } from 'vitest';
import { BROWSER, serveCollector } from '../support/collector.ts';
import { addKey } from '../support/keys.ts';

const websites = [
  aWebsite({ url: 'https://ex.com', aliases: ['goatcounter:blog', 'gc.ex.com'], excludedIps: ['192.0.2.0/24'] }),
];
const PAGE = 'p=%2Fa&t=Title&r=https%3A%2F%2Fwww.google.de%2F&s=1920&b=0&q=%3Futm_source%3Dnl&rnd=abc';

async function serve() {
  const { access } = createInMemoryRepositories();
  const own = await addKey(access);
  const collector = await serveCollector({ websites, access, accountId: own.accountId });
  const count = (query: string, more: object = {}) =>
    collector.ask({ method: 'POST', url: `/count/blog?${query}`, ...more });
  const send = (body: object, headers: Record<string, string> = {}) =>
    collector.ask({
      method: 'POST',
      url: '/api/v0/count',
      payload: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        host: 'blog.stats.example:8443',
        authorization: `Bearer ${own.key}`,
        ...headers,
      },
    });
  return { ...collector, ...own, access, count, send };
}

describe('/count', () => {
  test.each(['GET', 'POST'] as const)(
    'counts a pageview by the code in its path, and responds with the pixel: %s',
    async (method) => {
      const { count, hits } = await serve();

      const { status, headers } = await count(PAGE, { method });

      expect([status, headers['content-type'], headers['x-goatcounter']]).toEqual([200, 'image/gif', undefined]);
      expect(hits.stored).toMatchObject([{ page: '/a', utmSource: 'nl', referrer: 'google.de', name: null }]);
    },
  );

  test.each(['blog.stats.example', 'BLOG.stats.example:8443', 'gc.ex.com'])(
    'knows the website by the host %s',
    async (host) => {
      const { ask, hits } = await serve();

      const { status } = await ask({ method: 'GET', url: `/count?${PAGE}`, headers: { host } });

      expect([status, hits.stored.length]).toEqual([200, 1]);
    },
  );

  test.each([
    ['an event, which has no page', 'p=signup&e=true&b=0', { name: 'signup', page: '/' }],
    ['an event without the slash of its path', 'p=%2Fsignup%2Fa&e=true&b=0', { name: 'signup/a', page: '/' }],
    ['a path without a slash', 'p=b%3Fx%3D1&b=0', { page: '/b?x=1' }],
    ['a path that begins with two slashes', 'p=%2F%2Fblog%2Fx&b=0', { page: '//blog/x', host: 'ex.com' }],
    ['a path of two slashes', 'p=%2F%2F&b=0', { page: '/', host: 'ex.com' }],
    ['the path alone as the page', 'p=%2Fb&q=%3Fx%3D1&b=0', { page: '/b' }],
    [
      'a campaign next to a path with a query',
      'p=%2Fb%3Fid%3D1&q=%3Fid%3D1%26x%3D2%26utm_source%3Dnl&b=0',
      { page: '/b?id=1', utmSource: 'nl' },
    ],
    ['a campaign next to a path with a fragment', 'p=%2Fb%23c&q=%3Fgclid%3D1&b=0', { page: '/b', channel: 'Paid' }],
    ['a referrer that is not an address', 'p=%2Fb&r=newsletter&b=0', { referrer: null }],
  ])('counts %s', async (_, query, expected) => {
    const { count, hits } = await serve();

    await count(query);

    expect(hits.stored).toMatchObject([expected]);
  });

  test.each([
    ['no path', 'b=0'],
    ['an event of slashes alone', 'p=%2F%2F&e=true&b=0'],
    ['a hint that only a server sets', `${PAGE}&b=1`.replace('b=0&', '')],
    ['a path that is too long', `p=${'x'.repeat(2_049)}`],
  ])('rejects %s with 400, the pixel and the reason', async (_, query) => {
    const { count, hits } = await serve();

    const { status, headers } = await count(query);

    expect([status, headers['content-type'], headers['x-goatcounter']]).toEqual([400, 'image/gif', expect.any(String)]);
    expect(hits.stored).toEqual([]);
  });

  test('rejects an unknown code', async () => {
    const { ask } = await serve();

    const { status, headers } = await ask({ method: 'GET', url: `/count/nobody?${PAGE}` });

    expect([status, headers['x-goatcounter']]).toEqual([400, 'no site with this code']);
  });

  test('says why a visit does not count', async () => {
    const { count } = await serve();

    const automated = await count(PAGE.replace('b=0', 'b=153'));
    const excluded = await count(PAGE, { remoteAddress: '192.0.2.1' });

    expect([automated.status, automated.headers['hitherto-dropped'], automated.headers['x-goatcounter']]).toEqual([
      200,
      'bot',
      'ignored: bot',
    ]);
    expect([excluded.status, excluded.headers['hitherto-dropped']]).toEqual([202, 'excluded_ip']);
  });
});

describe('POST /api/v0/count', () => {
  const hit = { path: '/a', ip: '198.51.100.7', user_agent: 'Mozilla/5.0 é', created_at: '2026-11-20T11:00:00Z' };

  test('counts the hits of a server, with their own time and visitor', async () => {
    const { send, hits } = await serve();

    const { status, text } = await send({ hits: [hit, { path: 'signup', event: true, session: 'é 17' }] });

    expect([status, JSON.parse(text)]).toEqual([202, { status: 'ok' }]);
    expect(hits.stored).toMatchObject([
      { page: '/a', country: 'DE', time: new Date('2026-11-20T11:00:00.000Z') },
      { name: 'signup', country: null },
    ]);
  });

  test('stores what is valid, and lists the errors of the others', async () => {
    const { send, hits } = await serve();
    const old = { ...hit, created_at: '2026-11-01T00:00:00Z' };

    const { status, text } = await send({
      hits: [hit, { path: '/b' }, old, { ...hit, path: '' }, { path: '/b', session: {} }, hit],
    });

    expect([status, Object.keys(JSON.parse(text).errors)]).toEqual([400, ['1', '2', '3', '4']]);
    expect(JSON.parse(text).errors[2]).toContain('24 hours');
    expect(hits.stored).toHaveLength(2);
  });

  test.each(['a bot', BROWSER['user-agent']])(
    'counts hits without a visitor as one visitor each, where that is wanted, whatever sends them: %s',
    async (userAgent) => {
      const { send, hits } = await serve();
      const batch = {
        no_sessions: true,
        hits: [{ path: '/a' }, { path: '/a' }, { path: '/b', ip: '198.51.100.7' }, { path: '/c', user_agent: 'é' }],
      };

      const first = await send(batch, { 'user-agent': userAgent });
      await send(batch, { 'user-agent': userAgent });

      expect([first.status, first.headers['hitherto-dropped']]).toEqual([202, undefined]);
      const unknown = { country: null, language: null, browser: null };
      expect(hits.stored.slice(0, 4)).toMatchObject([
        { page: '/a', ...unknown },
        { page: '/a', ...unknown },
        { page: '/b', ...unknown, country: 'DE' },
        { page: '/c', ...unknown, browser: 'Firefox' },
      ]);
      expect(new Set(hits.stored.map(({ visitor }) => visitor)).size).toBe(8);
    },
  );

  test('knows visitors by their session, or address and user agent, also where hits may have none', async () => {
    const { send, hits } = await serve();

    await send({ no_sessions: true, hits: [hit, hit, { path: '/b', session: 'é' }, { path: '/c', session: 'é' }] });

    expect(new Set(hits.stored.map(({ visitor }) => visitor)).size).toBe(2);
  });

  test('needs a key of the account that may write, as a token or as a password', async () => {
    const { send, access, key, hits } = await serve();
    const [reading, other] = [await addKey(access, 'read'), await addKey(access)];
    const basic = `Basic ${Buffer.from(`user:${key}`).toString('base64')}`;
    const status = async (authorization: string) => (await send({ hits: [hit] }, { authorization })).status;

    expect(await status('')).toBe(401);
    expect(await status('Bearer x')).toBe(401);
    expect(await status(`Bearer ${reading.key}`)).toBe(403);
    expect(await status(`Bearer ${other.key}`)).toBe(400);
    expect(hits.stored).toEqual([]);
    expect(await status(basic)).toBe(202);
  });

  test.each([
    ['none', { hits: [] }],
    ['too many', { hits: Array(501).fill(hit) }],
    ['no list', { hits: 7 }],
  ])('rejects %s', async (_, body) => {
    const { send } = await serve();

    const { status, text } = await send(body);

    expect([status, JSON.parse(text)]).toEqual([400, { error: expect.any(String) }]);
  });

  test('tells a client with 429 how long to wait, in the header that GoatCounter has', async () => {
    const { send } = await serve();
    const guess = () => send({ hits: [hit] }, { authorization: 'Bearer x' });
    await Promise.all(Array.from({ length: 60 }, guess));

    const { status, headers } = await guess();

    expect([status, headers['x-rate-limit-reset']]).toEqual([429, expect.stringMatching(/^[1-9]\d*$/)]);
    expect(headers['x-rate-limit-reset']).toBe(headers['retry-after']);
  });
});

describe('GET /api/v0/me', () => {
  test('says that a key may count, as `goatcounter import` asks first', async () => {
    const { ask, key } = await serve();

    const { status, headers, text } = await ask({
      method: 'GET',
      url: '/api/v0/me',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    });

    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toEqual({ token: { name: 'Hitherto', permissions: 2 } });
  });

  test('rejects requests without a key, and with one that is wrong or may not write', async () => {
    const { ask, access } = await serve();
    const reading = await addKey(access, 'read');
    const status = async (headers: Record<string, string>) =>
      (await ask({ method: 'GET', url: '/api/v0/me', headers })).status;

    expect(await status({})).toBe(401);
    expect(await status({ authorization: 'Bearer x' })).toBe(401);
    expect(await status({ authorization: `Bearer ${reading.key}` })).toBe(403);
  });
});
