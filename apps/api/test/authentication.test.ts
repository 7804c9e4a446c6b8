import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@hitherto/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, type ApiResponse, startApi, startApiForTest } from './support/api.ts';

// decisions.md, "Authentication". `startApi` itself issues keys through the domain, as the command line does.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const LIST = '/api/v1/websites';
const withHeader = (authorization: string | string[], on = api) =>
  on.send('GET', LIST, { key: null, headers: { authorization } });

describe('every route without a key is 401, or stands in this list', () => {
  const OPEN = [
    '/livez',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/problems/:code',
    '/docs',
    '/docs/',
    '/docs/json',
    '/docs/yaml',
    '/docs/*',
    '/docs/static/*',
    '/docs/static/index.html',
    '/docs/static/swagger-initializer.js',
  ];

  test('the walk of the route table', async () => {
    const routes: { method: string; url: string }[] = [];
    for (const line of treeOf(api)) routes.push(line);
    expect(routes.map(({ method, url }) => `${method} ${url}`)).toEqual(
      expect.arrayContaining([
        'DELETE /websites/:id/destroy',
        'POST /api/v1/websites',
        'GET /livez',
        'PUT /api/v1/websites/:id',
      ]),
    );

    for (const { method, url } of routes.filter((route) => !OPEN.includes(route.url))) {
      const response = await api.send(method, url.replace(':id', '01997c3e-0000-7000-8000-000000000001'), {
        key: null,
      });

      expect([`${method} ${url}`, response.status]).toEqual([`${method} ${url}`, 401]);
      expect(response.header('www-authenticate')).toBe('Bearer realm="hitherto"');
    }
  });

  /** The methods and paths of the app's own table, which Fastify prints as a tree of prefixes. */
  function treeOf({ app }: Api): { method: string; url: string }[] {
    const prefixes: string[] = [];
    return app
      .printRoutes({ commonPrefix: false })
      .split('\n')
      .flatMap((line) => {
        const [, indent = '', path = '', methods] = /^([│ ]*)[├└]── (\S+)(?: \((.*)\))?$/u.exec(line) ?? [];
        if (path === '') return [];
        const depth = indent.length / 4;
        prefixes.splice(depth, prefixes.length, path);
        return (methods?.split(', ') ?? []).map((method) => ({ method, url: prefixes.join('') }));
      });
  }
});

describe('Authorization: Bearer KEY, scheme in any case', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('%s', async (scheme) => {
    expect((await withHeader(`${scheme} ${api.key}`)).status).toBe(200);
  });

  test('No key: 401 missing_key, WWW-Authenticate without error', async () => {
    const response = await api.send('GET', LIST, { key: null });

    expect([response.status, response.problem().code]).toEqual([401, 'missing_key']);
    expect(response.header('www-authenticate')).toBe('Bearer realm="hitherto"');
  });

  test('Two Authorization headers: 400', async () => {
    const response = await withHeader([`Bearer ${api.key}`, `Bearer ${api.key}`]);

    expect(response.problem().code).toBe('bad_request');
  });

  test('Keys in the query or body are not keys', async () => {
    const { id } = await api.createWebsite();
    const responses = [
      await api.send('GET', `${LIST}?access_token=${api.key}`, { key: null }),
      await api.send('GET', `${LIST}?api_key=${api.key}`, { key: null }),
      await api.send('POST', LIST, { key: null, form: { access_token: api.key, url: 'https://a.example' } }),
      await api.send('PUT', `${LIST}/${id}`, { key: null, json: { api_key: api.key } }),
      await api.send('GET', LIST, { key: null, headers: { 'x-api-key': api.key, cookie: `key=${api.key}` } }),
    ];

    expect(responses.map((response) => response.problem().code)).toEqual(responses.map(() => 'missing_key'));
  });
});

describe('A bad, unknown, revoked or expired key, or another scheme: 401 invalid_token, all alike', () => {
  test('the responses differ in nothing but the request id', async () => {
    const own = await startApiForTest();
    const revoked = await own.issue('other');
    const expired = await own.issue('other', { expiresInDays: 1 });
    await own.access.revokeKey(revoked.id, own.clock.now());
    own.clock.advance(24 * 60 * 60 * 1000);
    const headers = [
      `Bearer ${api.key}`,
      `Bearer ${revoked.text}`,
      `Bearer ${expired.text}`,
      `Bearer ${own.key.slice(0, -1)}`,
      `Bearer ${own.key}x`,
      `Bearer ${own.key.toLowerCase()}`,
      `Bearer  ${own.key} x`,
      `Bearer ${own.key}, Bearer ${own.key}`,
      'Bearer x',
      'Bearer',
      `Basic ${Buffer.from(`key:${own.key}`).toString('base64')}`,
      `Token ${own.key}`,
      own.key,
    ];

    const responses: ApiResponse[] = [];
    for (const header of headers) responses.push(await withHeader(header, own));

    const alike = responses.map(({ status, headers: { 'www-authenticate': challenge }, problem }) => {
      const { request_id: _, ...body } = problem();
      return { status, challenge, body };
    });
    expect(alike[0]).toMatchObject({
      status: 401,
      challenge: 'Bearer realm="hitherto", error="invalid_token"',
      body: { code: 'invalid_token' },
    });
    for (const [index, response] of alike.entries()) expect(response, headers[index]).toEqual(alike[0]);
  });
});

describe('A key without the scope: 403 with error="insufficient_scope"', () => {
  test.each([
    ['POST', LIST],
    ['PUT', `${LIST}/x`],
    ['PATCH', `${LIST}/x`],
    ['DELETE', `${LIST}/x`],
    ['DELETE', '/websites/x/destroy'],
  ])('%s %s with a key of scope read', async (method, path) => {
    const response = await api.send(method, path, { key: api.readKey });

    expect(response.problem().code).toBe('insufficient_scope');
    expect(response.header('www-authenticate')).toContain('error="insufficient_scope"');
  });

  test('read lists, shows and heads; write, the default, includes read', async () => {
    const { id } = await api.createWebsite();

    for (const key of [api.readKey, api.key]) {
      const list = await api.send('GET', LIST, { key });
      const show = await api.send('GET', `${LIST}/${id}`, { key });
      const head = await api.send('HEAD', LIST, { key });
      expect([list.status, show.status, head.status]).toEqual([200, 200, 200]);
    }
  });
});

describe('keys that cannot be looked up', () => {
  test('are 503 while the database is not prepared, without a query', async () => {
    let queries = 0;
    const unprepared = await startApiForTest({
      isPrepared: () => false,
      access: (real) => ({
        ...real,
        findKeyByHash: (hash) => {
          queries += 1;
          return real.findKeyByHash(hash);
        },
      }),
    });

    const response = await unprepared.send('GET', LIST);

    expect([response.status, queries]).toEqual([503, 0]);
  });

  test('tell nothing of what failed, and are looked up again by the next request', async () => {
    let isDown = true;
    const own = await startApiForTest({
      access: (real) => ({
        ...real,
        findKeyByHash: (hash) =>
          isDown
            ? Promise.reject(unavailable('The database is away.', new Error('connect ECONNREFUSED 10.0.0.5:5432')))
            : real.findKeyByHash(hash),
      }),
    });

    const down = await own.send('GET', LIST);
    isDown = false;
    const up = await own.send('GET', LIST);

    expect([down.status, up.status]).toEqual([503, 200]);
    expect(down.text).not.toMatch(/ECONN|10\.0|5432/);
  });
});

describe('Revoking works within one second (keys are cached for at most one)', () => {
  test('a key that is in use is refused a second after it was revoked', async () => {
    const { text, id } = await api.issue('other');
    const before = await api.send('GET', LIST, { key: text });
    await api.access.revokeKey(id, api.clock.now());

    await sleep(1000);
    const after = await api.send('GET', LIST, { key: text });

    expect([before.status, after.status]).toEqual([200, 401]);
  });

  test('a look-up that takes longer than a second does not lengthen that', async () => {
    const reads: (() => void)[] = [];
    const slow = await startApiForTest({
      access: (real) => ({
        ...real,
        findKeyByHash: async (hash) => {
          const key = await real.findKeyByHash(hash);
          if (reads.length < 1) await new Promise<void>((resolve) => reads.push(resolve));
          return key;
        },
      }),
    });
    const { text, id } = await slow.issue('other');
    const first = slow.send('GET', LIST, { key: text });
    await sleep(50);
    await slow.access.revokeKey(id, slow.clock.now());

    await sleep(1000);
    const second = slow.send('GET', LIST, { key: text });
    await sleep(50);
    for (const release of reads) release();

    expect([(await first).status, (await second).status]).toEqual([200, 401]);
  });

  test('an expired key is refused at once, cached or not', async () => {
    const own = await startApiForTest();
    const { text } = await own.issue('other', { expiresInDays: 1 });
    own.clock.advance(24 * 60 * 60 * 1000 - 1);

    const before = await own.send('GET', LIST, { key: text });
    own.clock.advance(1);
    const after = await own.send('GET', LIST, { key: text });

    expect([before.status, after.status]).toEqual([200, 401]);
  });

  test('concurrent requests with one key share a query, and so do those of the next moment', async () => {
    let queries = 0;
    const own = await startApiForTest({
      access: (real) => ({
        ...real,
        findKeyByHash: (hash) => {
          queries += 1;
          return real.findKeyByHash(hash);
        },
      }),
    });

    await Promise.all(Array.from({ length: 20 }, () => own.send('GET', LIST)));

    expect(queries).toBe(1);
  });
});

describe('a last-used time, written in the background', () => {
  test('of keys that were accepted, when the service stops at the latest', async () => {
    const own = await startApi();
    const unused = await own.issue('other');
    own.clock.advance(60_000);
    await own.send('GET', LIST, { key: own.readKey });
    await own.send('GET', LIST, { key: `${own.key}x` });

    await own.app.close();

    const mine = await own.access.listKeys(own.accountId);
    const theirs = await own.access.listKeys(unused.accountId);
    expect(mine.map(({ scope, lastUsedAt }) => [scope, lastUsedAt])).toEqual(
      expect.arrayContaining([
        ['write', null],
        ['read', own.clock.now()],
      ]),
    );
    expect(theirs.map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, null]);
  });
});

describe('Another account’s website, an unknown id and a malformed id are the same 404, same body', () => {
  test.each([
    ['GET', (id: string) => `${LIST}/${id}`],
    ['HEAD', (id: string) => `${LIST}/${id}`],
    ['PUT', (id: string) => `${LIST}/${id}`],
    ['PATCH', (id: string) => `${LIST}/${id}`],
    ['DELETE', (id: string) => `${LIST}/${id}`],
    ['DELETE', (id: string) => `/websites/${id}/destroy`],
  ])('%s', async (method, pathOf) => {
    const { id } = await api.createWebsite({}, { key: api.otherKey });
    const ids = [
      '01997c3e-0000-7000-8000-00000000dead',
      'unknown',
      '1',
      '%20',
      '%00',
      '%zz',
      `{${id}}`.replace('{', '%7B').replace('}', '%7D'),
      id.replaceAll('-', ''),
      `${id}%0A`,
      '..%2F..%2Fetc',
      '%F0%9F%A6%8A',
      'x'.repeat(10_000),
      "'%20or%201=1",
    ];

    const bodies: string[] = [];
    for (const each of [id, ...ids]) {
      const response = await api.send(method, pathOf(each));
      expect(response.status, each).toBe(404);
      bodies.push(response.text.replace(/"request_id":"[^"]*"/, ''));
    }
    const kept = await api.send('GET', `${LIST}/${id}`, { key: api.otherKey });

    expect(bodies).toEqual(bodies.map(() => bodies[0]));
    expect(kept.website().email).toBe(0);
  });
});
