import { unavailable } from '@hitherto/domain/base';
import { UNRECORDED } from '@hitherto/domain/changes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from './support/api.ts';
import type { ApiResponse } from './support/response.ts';

// api.md, "Authentication". `startApi` itself issues keys through the domain, as the command line does.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const LIST = '/api/v1/websites';
const withHeader = (authorization: string | string[], on = api) =>
  on.send('GET', LIST, { key: null, headers: { authorization } });

describe('routes without a key', () => {
  const OPEN = [
    '/livez',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/problems/:code',
    '/docs',
    '/docs/static/swagger-ui.css',
    '/docs/static/index.css',
    '/docs/static/swagger-ui-bundle.js',
    '/docs/static/favicon-32x32.png',
    '/docs/static/swagger-initializer.js',
  ];

  /** Routes whose errors have the form of Plausible. */
  const PLAUSIBLE = /^\/api\/(?:v2\/query|v1\/sites|v1\/stats\/(?:realtime|aggregate|timeseries|breakdown))/;

  test('every route of the route table is 401, except those listed here', async () => {
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
      if (PLAUSIBLE.test(url)) {
        const { statusCode, headers, body } = await api.app.inject({ method: method as 'GET', url });
        expect([`${method} ${url}`, statusCode, headers['www-authenticate']]).toEqual([
          `${method} ${url}`,
          401,
          'Bearer realm="hitherto"',
        ]);
        if (method !== 'HEAD') expect(Object.keys(JSON.parse(body))).toEqual(['error']);
        continue;
      }
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

describe('Authorization: Bearer KEY, with the scheme in any letter case', () => {
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

  test('Keys in the query or the body are ignored', async () => {
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

describe('A malformed, unknown, revoked or expired key, or another scheme, is 401 invalid_token', () => {
  test('the responses differ only in the request id', async () => {
    const own = await startApiForTest();
    const revoked = await own.issue('other');
    const expired = await own.issue('other', { expiresInDays: 1 });
    await own.access.revokeKey(revoked.id, own.clock.now(), UNRECORDED);
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

describe('A key without the required scope is 403 with error="insufficient_scope"', () => {
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

  test('scope read allows list, show and HEAD; write, the default, includes read', async () => {
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
  test('are 503 without a query until the database is prepared', async () => {
    let queries = 0;
    const unprepared = await startApiForTest({
      lifecycle: { isPrepared: false, isStopping: false },
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

  test('are 503 without the cause, and the next request looks them up again', async () => {
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

describe('Another account’s website, an unknown id and a malformed id all get the same 404 with the same body', () => {
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
