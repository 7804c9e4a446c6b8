import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from './support/api.ts';

// api.md, "Operations".

let api: Api;
let queries = 0;
beforeAll(async () => {
  const counted = <T extends object>(real: T): T =>
    new Proxy(real, {
      get: (target, name, receiver) => {
        queries += 1;
        return Reflect.get(target, name, receiver);
      },
    });
  api = await startApi({ access: counted, websites: counted });
});
afterAll(() => api.app.close());

const open = (path: string, method = 'GET') => api.send(method, path, { key: null });

describe('no key, and no database but for /readyz', () => {
  test.each(['/livez', '/readyz', '/metrics', '/openapi.json', '/docs', '/problems/validation'])('%s', async (path) => {
    queries = 0;

    const response = await open(path);

    expect([response.status, queries]).toEqual([200, 0]);
  });

  test('a key, valid or not, changes nothing', async () => {
    queries = 0;

    for (const key of [api.key, 'bad']) expect((await api.send('GET', '/livez', { key })).status).toBe(200);
    const queriesOfOpenRoute = queries;
    await api.send('GET', '/api/v1/websites');

    expect(queriesOfOpenRoute).toBe(0);
    expect(queries).toBeGreaterThan(0);
  });
});

describe('GET /livez and GET /readyz (503 when the database is away)', () => {
  test('both respond with status ok', async () => {
    expect((await open('/livez')).json()).toEqual({ status: 'ok' });
    expect((await open('/readyz')).json()).toEqual({ status: 'ok' });
  });

  test('readyz follows the database, livez does not', async () => {
    let isUp = false;
    const lifecycle = { isPrepared: false, isStopping: false };
    const own = await startApiForTest({
      lifecycle,
      ping: () => (isUp ? Promise.resolve() : Promise.reject(new Error('connect ECONNREFUSED 10.0.0.5'))),
    });
    const look = async () => [(await own.send('GET', '/livez')).status, (await own.send('GET', '/readyz')).status];

    const seen = [await look()];
    isUp = true;
    seen.push(await look());
    lifecycle.isPrepared = true;
    seen.push(await look());
    isUp = false;
    seen.push(await look());

    expect(seen).toEqual([
      [200, 503],
      [200, 503],
      [200, 200],
      [200, 503],
    ]);
    expect((await own.send('GET', '/readyz')).text).not.toMatch(/ECONN|10\.0/);
  });
});

test('readyz before the database is there logs one line a request, without a stack', async () => {
  const own = await startApiForTest({ lifecycle: { isPrepared: false, isStopping: false } });

  await own.send('GET', '/readyz');

  const warnings = own
    .log()
    .split('\n')
    .filter((line) => line.includes('request not served'));
  expect(warnings.map((line) => JSON.parse(line).error)).toEqual([
    { name: 'HttpProblem', code: 'unavailable', message: 'The database is not ready.' },
  ]);
});

test('readyz is 503 once the service stops, while everything else is served', async () => {
  const own = await startApiForTest({ lifecycle: { isPrepared: true, isStopping: true } });

  const ready = await own.send('GET', '/readyz');
  const others = await Promise.all(['/livez', '/metrics', '/api/v1/websites'].map((path) => own.send('GET', path)));

  expect([ready.status, ready.header('retry-after'), ready.problem().code]).toEqual([503, '1', 'unavailable']);
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
});

/** The metrics, after those that are stored have expired. */
async function freshMetrics() {
  await sleep(1_010);
  return open('/metrics');
}

describe('GET /metrics (Prometheus; no label holds an account, url or address)', () => {
  test('counts requests by route, method and status, and problems by code', async () => {
    const { id } = await api.createWebsite();
    await api.send('GET', `/api/v1/websites/${id}`);
    await api.send('GET', '/api/v1/websites/unknown');
    await api.send('GET', '/nowhere/canary');

    const response = await freshMetrics();

    expect(response.header('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(response.text).toContain(
      'hitherto_http_request_duration_seconds_count{route="/api/v1/websites/:id",method="GET",status="200"}',
    );
    expect(response.text).toContain('{route="none",method="any",status="404"}');
    expect(response.text).toContain('hitherto_problems_total{code="not_found"}');
  });

  test('has the time that the process was busy, which costs nothing to measure, instead of samples of its lag', async () => {
    const busy = async () =>
      Number(/^hitherto_event_loop_busy_seconds_total ([\d.]+)$/m.exec((await freshMetrics()).text)?.[1]);
    const before = await busy();
    for (const start = performance.now(); performance.now() - start < 50; );

    expect((await busy()) - before).toBeGreaterThan(0.04);
    expect((await open('/metrics')).text).not.toContain('eventloop_lag');
  });

  test('labels hold no id, path, key or address of a request', async () => {
    const { id } = await api.createWebsite({ url: 'https://canary-url.example' });
    for (const path of [
      `/api/v1/websites/${id}`,
      '/api/v1/websites?search=canary-search',
      '/canary-path',
      '/problems/canary-code',
    ]) {
      await api.send('GET', path, { remoteAddress: '203.0.113.77' });
      await api.send('PROPFIND', path);
    }

    const { text } = await freshMetrics();

    const secrets = [
      id,
      'canary',
      api.accountId,
      api.key,
      api.key.slice(4, 20),
      '203.0.113.77',
      '127.0.0.1',
      'PROPFIND',
    ];
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  test('gauges of the program are read when the metrics are requested, at most once a second', async () => {
    let value = 1;
    const own = await startApiForTest({ gauges: [{ name: 'test_gauge', help: 'A test.', read: () => value++ }] });
    const gauge = async () => /^test_gauge (\d+)$/m.exec((await own.send('GET', '/metrics')).text)?.[1];
    value = 7;

    const first = await Promise.all([gauge(), gauge()]);
    await sleep(1_010);

    expect([...first, await gauge()]).toEqual(['7', '7', '8']);
  });
});

describe.each(['/openapi.json', '/docs/static/swagger-ui-bundle.js', '/docs/static/swagger-ui.css'])(
  '%s, which is the same for all',
  (path) => {
    test('is compressed, and has a tag with which browsers ask whether it has changed', async () => {
      const headers = { 'accept-encoding': 'gzip' };
      const plain = await open(path);
      const packed = await api.app.inject({ url: path, headers });
      const etag = String(packed.headers.etag);
      const again = await api.send('GET', path, { key: null, headers: { ...headers, 'if-none-match': etag } });

      expect([plain.header('etag'), again.status, again.text, again.header('etag')]).toEqual([etag, 304, '', etag]);
      expect(packed.headers).toMatchObject({ vary: 'Accept-Encoding', 'cache-control': 'no-cache' });
      if (plain.text.length < 1_024) return;
      expect(packed.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.text);
    });
  },
);

describe('GET /docs (a page that needs no outside network)', () => {
  /** Addresses of other hosts in attributes, styles and scripts that a browser would load from. */
  const outside =
    /(?:src|href|action)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?(?:https?:)?\/\/|@import\s+["']?(?:https?:)?\/\/|validator\.swagger/i;

  test('the page loads everything from this service', async () => {
    const page = await open('/docs');
    const html = page.text;
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target]) => target ?? '');

    expect(html).not.toMatch(outside);
    expect(loaded.length).toBeGreaterThan(3);
    for (const target of loaded) {
      const { pathname, host } = new URL(target, 'http://here.example/docs');
      const asset = await open(pathname);
      expect([target, host, asset.status]).toEqual([target, 'here.example', 200]);
      if (pathname.endsWith('.css')) expect(asset.text).not.toMatch(/@import|url\(\s*["']?https?:/);
    }
  });

  test('its content security policy allows this origin only', async () => {
    const policy = (await open('/docs')).header('content-security-policy') ?? '';

    expect(policy).toContain("default-src 'none'");
    expect(policy.replaceAll(/'self'|'none'|data:/g, '')).not.toMatch(/https?:|\*|'|\w\.\w/);
    expect(policy).not.toContain('upgrade-insecure-requests');
  });

  test('it uses no external validator and does not store the key', async () => {
    const { text } = await open('/docs/static/swagger-initializer.js');

    expect(text).toContain('"validatorUrl":null');
    expect(text).toContain('"persistAuthorization":false');
  });

  test.each([
    ['/docs/static/nothing.js', {}, 404],
    ['/docs/static/%2e%2e/package.json', {}, 404],
    ['/docs/static/..%2fpackage.json', {}, 404],
    ['/docs/static/%00', {}, 404],
    ['/docs/static/', {}, 404],
    ['/docs/static/index.html', {}, 404],
    ['/docs/', {}, 404],
    ['/docs/json', {}, 404],
    ['/docs/yaml', {}, 404],
    ['/docs/static/swagger-ui.css', { range: 'bytes=999999999-' }, 200],
    ['/docs/static/swagger-ui.css', { range: 'bytes=0-9' }, 200],
    ['/docs/static/swagger-ui.css', { 'if-match': '"x"' }, 200],
    ['/docs/static/swagger-ui.css', { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 200],
  ])('%s with %o is %i', async (path, headers, status) => {
    const response = await api.send('GET', path, { key: null, headers });

    expect([response.status, status === 404 ? response.problem().code : 'found']).toEqual([
      status,
      status === 404 ? 'not_found' : 'found',
    ]);
  });
});

test('the page at /docs has one spelling: /docs/ is 404 for every method', async () => {
  const api = await startApiForTest();

  const responses = await Promise.all(['GET', 'HEAD', 'OPTIONS', 'POST'].map((method) => api.send(method, '/docs/')));

  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
});
