import { setTimeout as sleep } from 'node:timers/promises';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import { aWebsite } from '@hitherto/testing/fixtures';
import { Umami } from '@umami/node';
import { describe, expect, test } from 'vitest';
import { BROWSER, serveCollector } from '../support/collector.ts';
import { addKey } from '../support/keys.ts';

const UMAMI_ID = 'f3a1c6a0-2b5e-4f9b-9d3f-6f0f3f4f1001';
const websites = [aWebsite({ url: 'https://ex.com', aliases: [UMAMI_ID], excludedIps: ['192.0.2.0/24'] })];
const payload = { website: UMAMI_ID, hostname: 'ex.com', url: '/a?utm_source=nl', referrer: 'https://www.google.de/' };

async function serve() {
  const { access } = createInMemoryRepositories();
  const own = await addKey(access);
  const collector = await serveCollector({ websites, access, accountId: own.accountId });
  const post = (body: unknown, headers: Record<string, string> = {}, path = '/api/send') =>
    collector.ask({
      method: 'POST',
      url: path,
      payload: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  return { ...collector, ...own, access, post };
}

describe('a domain as the alias of a website', () => {
  const named = { website: 'secret.example', hostname: 'elsewhere.invalid', url: '/a' };
  const secret = [aWebsite({ url: 'https://secret.example', aliases: ['secret.example'] })];

  test.each(['event', 'identify'])('is not told by a hit of another host, or of no page: %s', async (type) => {
    const { ask } = await serveCollector({ websites: secret });
    const post = async (website: string) => {
      const body = JSON.stringify({ type, payload: { ...named, website } });
      const { status, text, headers } = await ask({ method: 'POST', url: '/api/send', payload: body });
      return [status, text, headers['hitherto-dropped']];
    };

    expect(await post('secret.example')).toEqual(await post('unknown.example'));
  });
});

describe('POST /api/send', () => {
  test('counts a pageview of a website by its alias, and tells nothing of the visitor', async () => {
    const { post, hits } = await serve();

    const { status, text, headers } = await post({ type: 'event', payload });
    const again = await post({ type: 'event', payload }, { 'user-agent': 'Mozilla/5.0 Another' });

    expect([status, headers['hitherto-dropped']]).toEqual([200, undefined]);
    expect(JSON.parse(text)).toEqual({
      cache: expect.stringMatching(/^[!-~]+$/),
      sessionId: expect.any(String),
      visitId: expect.any(String),
    });
    expect(again.text).toBe(text);
    expect(hits.stored).toHaveLength(2);
    expect(hits.stored[0]).toMatchObject({ host: 'ex.com', page: '/a', utmSource: 'nl', name: null, country: 'DE' });
    expect(hits.stored[0]?.visitor).not.toBe(hits.stored[1]?.visitor);
  });

  test('responds in printable ASCII, because Umami 2 sends the response back in a header', async () => {
    const { post } = await serve();
    const { text } = await post({ type: 'event', payload });

    const { status } = await post({ type: 'event', payload }, { 'x-umami-cache': text });

    expect([status, /^[ -~]+$/.test(text)]).toEqual([200, true]);
  });

  test('takes a name for an event, and its data, nested or not, and tag for properties', async () => {
    const { post, hits } = await serve();
    const data = { plan: 'pro', cart: { total: 7, items: { n: 2 } }, list: [1], none: null };

    await post({ type: 'event', payload: { ...payload, name: 'Signup', data, tag: 'A' } });

    expect(hits.stored).toMatchObject([
      { name: 'Signup', props: { plan: 'pro', 'cart.total': 7, 'cart.items.n': 2, tag: 'A' } },
    ]);
  });

  test('keeps the tag of an event with more data than is stored, also next to data of that name', async () => {
    const { post, hits } = await serve();
    const data = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`field${index}`, index]));

    await post({ type: 'event', payload: { ...payload, name: 'Signup', data, tag: 'A' } });
    await post({ type: 'event', payload: { ...payload, name: 'Signup', data: { ...data, tag: 'B' }, tag: 'A' } });

    const stored = hits.stored.map(({ props }) => props);
    expect(stored).toMatchObject([{ tag: 'A' }, { tag: 'A' }]);
    expect(stored.map((props) => Object.keys(props ?? {}).length)).toEqual([10, 10]);
  });

  test.each([
    ['without url and host name: the website', {}, '/', 'ex.com'],
    ['with a path: below the host name', { url: '/b/', hostname: 'blog.ex.com' }, '/b', 'blog.ex.com'],
    ['with a path of two slashes: below the host name', { url: '//b/x', hostname: 'ex.com' }, '//b/x', 'ex.com'],
    ['with an absolute url: itself', { url: 'https://www.ex.com/c#d', hostname: 'x' }, '/c', 'ex.com'],
  ])('counts a page %s', async (_, more, page, host) => {
    const { post, hits } = await serve();

    await post({ type: 'event', payload: { website: UMAMI_ID, ...more } });

    expect(hits.stored).toMatchObject([{ page, host }]);
  });

  test.each([
    [
      'escaped once more, as the script of Umami 2.10 does',
      { url: encodeURI('/caf%C3%A9%2F?a[]=1&utm_campaign=a%20b'), referrer: encodeURI('https://other.example/%C3%A9') },
    ],
    ['decoded, as later ones do', { url: '/café%2F?a[]=1&utm_campaign=a b', referrer: 'https://other.example/é' }],
    [
      'in an absolute url, as Umami 3 does',
      { url: 'https://ex.com/caf%C3%A9%2F?a[]=1&utm_campaign=a%20b', referrer: 'https://other.example/%C3%A9' },
    ],
  ])('counts the page of the browser where a path is %s', async (_, more) => {
    const { post, hits } = await serve();

    await post({ type: 'event', payload: { ...payload, ...more } });

    expect(hits.stored).toMatchObject([
      { page: '/caf%C3%A9%2F?a[]=1', utmCampaign: 'a b', referrer: 'other.example/%C3%A9' },
    ]);
  });

  test.each([
    ['a path whose escapes are not UTF-8', '/%E9', '/%E9'],
    ['the escapes of an absolute url', 'https://ex.com/a%2520b', '/a%2520b'],
  ])('keeps %s', async (_, url, page) => {
    const { post, hits } = await serve();

    await post({ type: 'event', payload: { ...payload, url } });

    expect(hits.stored).toMatchObject([{ page }]);
  });

  test('counts the website’s address without url and host name, also where it has a path', async () => {
    const shop = aWebsite({ url: 'https://www.ex.com/shop', aliases: [UMAMI_ID] });
    const { ask, hits } = await serveCollector({ websites: [shop] });
    const body = JSON.stringify({ type: 'event', payload: { website: UMAMI_ID, name: 'Signup' } });

    await ask({ method: 'POST', url: '/api/send', payload: body });

    expect(hits.stored).toMatchObject([{ name: 'Signup', page: '/shop', host: 'ex.com' }]);
  });

  test('responds to bots as Umami does, and to visitors who are excluded as to all others', async () => {
    const { post, hits, ask } = await serve();
    const body = JSON.stringify({ type: 'event', payload });

    const bot = await post({ type: 'event', payload }, { 'user-agent': 'a bot' });
    const excluded = await ask({ method: 'POST', url: '/api/send', payload: body, remoteAddress: '192.0.2.7' });

    expect([bot.status, bot.headers['hitherto-dropped'], JSON.parse(bot.text)]).toEqual([200, 'bot', { beep: 'boop' }]);
    expect([excluded.status, excluded.headers['hitherto-dropped']]).toEqual([200, 'excluded_ip']);
    expect(JSON.parse(excluded.text)).not.toHaveProperty('disabled');
    expect(hits.stored).toEqual([]);
  });

  test.each(['identify', 'performance', 'error', 'engagement'])('counts nothing of the type %s', async (type) => {
    const { post, hits } = await serve();

    const known = await post({ type, payload: { ...payload, data: { a: 1 }, id: 'user-17' } });
    const unknown = await post({ type, payload: { ...payload, website: UMAMI_ID.replace('f', 'e') } });

    expect([known.status, unknown.status, hits.stored]).toEqual([200, 400, []]);
  });

  test.each([
    ['JSON that is broken', '{"type":'],
    ['a list', []],
    ['no type', { payload }],
    ['another type', { type: 'x', payload }],
    ['no payload', { type: 'event' }],
    ['no website', { type: 'event', payload: { url: '/' } }],
    ['a link instead of a website', { type: 'event', payload: { link: UMAMI_ID, url: '/' } }],
    ['a website that is not a string', { type: 'event', payload: { ...payload, website: 7 } }],
    ['an unknown website', { type: 'event', payload: { ...payload, website: UMAMI_ID.replace('f', 'e') } }],
    ['a name that Umami rejects', { type: 'event', payload: { ...payload, name: 'x'.repeat(51) } }],
    ['a url of another type', { type: 'event', payload: { ...payload, url: 7 } }],
    ['a url that is too long', { type: 'event', payload: { ...payload, url: `/${'x'.repeat(5_000)}` } }],
    ['a url that is none', { type: 'event', payload: { ...payload, url: 'https://[::1/' } }],
    ['a body of more than 8 KiB', { type: 'event', payload: { ...payload, title: 'x'.repeat(9_000) } }],
  ])('rejects %s with 400 in the form of Umami', async (_, body) => {
    const { post, hits } = await serve();

    const { status, text, headers } = await post(body);

    expect([status, JSON.parse(text)]).toEqual([
      400,
      { error: expect.objectContaining({ message: expect.any(String) }) },
    ]);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(hits.stored).toEqual([]);
  });

  test('believes no address, agent or time of a body without a key', async () => {
    const { post, hits } = await serve();
    const claims = { ip: '192.0.2.7', userAgent: 'a bot', timestamp: 1, language: 'fr' };

    await post({ type: 'event', payload: { ...payload, ...claims } }, { 'x-umami-cache': 'spoofed' });
    await post({ type: 'event', payload });

    expect(hits.stored[0]).toEqual(hits.stored[1]);
  });

  test('believes them with a key of the account, within the bounds of hits from servers', async () => {
    const { post, hits, key } = await serve();
    const authorization = `Bearer ${key}`;
    const now = Date.parse('2026-11-20T12:00:00.000Z') / 1_000;
    const claims = { ip: '198.51.100.9', userAgent: 'Mozilla/5.0 Claimed', language: 'fr', timestamp: now - 60 };

    const taken = await post({ type: 'event', payload: { ...payload, ...claims } }, { authorization });
    const excluded = await post({ type: 'event', payload: { ...payload, ip: '192.0.2.7' } }, { authorization });
    const old = await post({ type: 'event', payload: { ...payload, timestamp: now - 90_000 } }, { authorization });

    expect([taken.status, excluded.headers['hitherto-dropped'], old.status]).toEqual([200, 'excluded_ip', 400]);
    expect(hits.stored).toMatchObject([{ language: 'fr', time: new Date('2026-11-20T11:59:00.000Z') }]);
  });

  test.each(['198.51.100.9:4711', '[2001:db8::9]:4711', 'fe80::9%eth0'])(
    'takes the address of a request with a key as the proxy writes it: %s',
    async (address) => {
      const { access } = createInMemoryRepositories();
      const { accountId, key } = await addKey(access);
      const { ask, hits } = await serveCollector({ websites, access, accountId, trustedProxies: ['198.51.100.7'] });

      const { status } = await ask({
        method: 'POST',
        url: '/api/send',
        payload: JSON.stringify({ type: 'event', payload }),
        headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': address },
      });

      expect([status, hits.stored.length]).toEqual([200, 1]);
    },
  );

  test('counts a hit with a key while its website is being changed', async () => {
    const { post, hits, key, directory } = await serve();
    let open = () => {};
    directory.gate = new Promise((resolve) => {
      open = resolve;
    });

    const sent = post(
      { type: 'event', payload: { ...payload, website: websites[0]?.id } },
      { authorization: `Bearer ${key}` },
    );
    while (directory.asked.length === 0) await sleep(5);
    directory.tell(undefined);
    open();

    expect([(await sent).status, hits.stored.length]).toEqual([200, 1]);
  });

  test('rejects wrong keys, keys of scope read, websites of other accounts, and those that a key does not reach', async () => {
    const { post, hits, access, accountId } = await serve();
    const [reading, other] = [await addKey(access, 'read'), await addKey(access)];
    const limited = await addKey(access, 'write', { accountId, websiteIds: [newId()] });
    const send = async (key: string) =>
      (await post({ type: 'event', payload }, { authorization: `Bearer ${key}` })).status;

    expect([await send('hto_x'), await send(reading.key), await send(other.key)]).toEqual([401, 403, 400]);
    expect(await send(limited.key)).toBe(400);
    expect(hits.stored).toEqual([]);
  });

  test('is open to pages of any origin, never with credentials', async () => {
    const { ask } = await serve();

    const { status, headers } = await ask({ method: 'OPTIONS', url: '/api/send' });

    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': '*',
      'access-control-max-age': '86400',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('is limited as /hits is, per hit', async () => {
    const collector = await serveCollector({ websites, isLimited: true });
    const item = { type: 'event', payload };
    const batch = { method: 'POST', url: '/api/batch', payload: JSON.stringify(Array(450).fill(item)) } as const;
    const single = { method: 'POST', url: '/api/send', payload: JSON.stringify(item) } as const;

    await collector.ask(single);
    const { status } = await collector.ask(batch);
    const refused = await collector.ask(single);

    expect([status, refused.status, refused.headers['retry-after']]).toEqual([
      200,
      429,
      expect.stringMatching(/^\d+$/),
    ]);
    expect(JSON.parse(refused.text)).toHaveProperty('error.message');
  });

  test('waits for a database that is away, and then says that it may be sent again', async () => {
    const { post, lifecycle } = await serve();
    lifecycle.isPrepared = false;

    const sent = post({ type: 'event', payload });
    lifecycle.isPrepared = true;

    expect((await sent).status).toBe(200);
  });
});

describe('POST /api/batch', () => {
  test('counts what is valid, and lists the others', async () => {
    const { post, hits } = await serve();
    const item = { type: 'event', payload };
    const unknown = { type: 'event', payload: { ...payload, website: 'nobody' } };

    const { status, text } = await post(
      [item, { type: 'x' }, unknown, { type: 'identify', payload }, item],
      {},
      '/api/batch',
    );

    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        size: 5,
        processed: 3,
        errors: 2,
        details: [
          { index: 1, response: { error: expect.any(Object) } },
          { index: 2, response: { error: expect.objectContaining({ message: 'Website not found.' }) } },
        ],
        cache: expect.any(String),
      },
    ]);
    expect(hits.stored).toHaveLength(2);
  });

  test('rejects what is not a list, and more than 500 hits', async () => {
    const { post } = await serve();

    for (const body of [{}, Array(501).fill({ type: 'event', payload })]) {
      expect((await post(body, {}, '/api/batch')).status).toBe(400);
    }
  });
});

test('the client of Umami for Node sends pages and events', async () => {
  const { app, hits } = await serve();
  const hostUrl = await app.listen({ port: 0, host: '127.0.0.1' });
  const umami = new Umami({ websiteId: UMAMI_ID, hostUrl, userAgent: BROWSER['user-agent'].replace('é', '') });

  const page = await umami.track({ url: '/from-node', hostname: 'ex.com' });
  const event = await umami.track('Signup', { plan: 'pro' });
  const identified = await umami.identify({ id: 'user-17' });

  expect([page.status, event.status, identified.status]).toEqual([200, 200, 200]);
  expect(hits.stored).toMatchObject([
    { page: '/from-node', name: null },
    { page: '/', name: 'Signup', props: { plan: 'pro' } },
  ]);
});
