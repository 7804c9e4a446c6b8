import { gunzipSync } from 'node:zlib';
import { aWebsite } from '@hitherto/testing/fixtures';
import { describe, expect, test } from 'vitest';
import { ID, serveCollector, URL_OF_PAGE } from './support/collector.ts';
import { BAD_PAGE } from './support/fake-hits.ts';

describe('CORS', () => {
  test.each([
    ['/hits', 'POST', 'OPTIONS, POST'],
    ['/api/event', 'POST', 'OPTIONS, POST'],
    ['/hits.gif', 'GET, HEAD', 'GET, HEAD, OPTIONS'],
  ])('the preflight of %s gets 204', async (url, methods, allow) => {
    const { ask } = await serveCollector();

    const { status, headers } = await ask({
      method: 'OPTIONS',
      url,
      headers: { origin: 'https://ex.com', 'access-control-request-method': 'POST' },
    });

    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': '86400',
      allow,
      'cache-control': 'no-store',
    });
  });

  test('pages may read the outcome of a hit, even a rejected one, without credentials or caching', async () => {
    const { send } = await serveCollector();

    for (const body of [{ website: ID, url: URL_OF_PAGE }, {}]) {
      const { headers } = await send(body);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'Hitherto-Dropped, Hitherto-Measure, Retry-After',
        'cache-control': 'no-store',
      });
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  test('a wrong method is 405 with CORS headers', async () => {
    const { ask } = await serveCollector();

    const { status, headers } = await ask({ method: 'GET', url: '/hits' });

    expect([status, headers.allow, headers['access-control-allow-origin']]).toEqual([405, 'OPTIONS, POST', '*']);
  });
});

describe('GET /hits.gif', () => {
  const query = `website=${ID}&url=${encodeURIComponent(URL_OF_PAGE)}`;

  test('counts a pageview and responds with an uncached GIF of 43 bytes', async () => {
    const { ask, hits } = await serveCollector();

    const { status, headers } = await ask({
      method: 'GET',
      url: `/hits.gif?${query}&referrer=https%3A%2F%2Fa.example&_=1`,
    });

    expect([status, headers['content-type'], headers['content-length'], headers['cache-control']]).toEqual([
      200,
      'image/gif',
      '43',
      'no-cache',
    ]);
    expect(hits.stored).toMatchObject([{ page: '/page', referrer: 'a.example', name: null }]);
  });

  test('takes the page from the Referer header when there is no url', async () => {
    const { ask, hits } = await serveCollector();

    const { status } = await ask({
      method: 'GET',
      url: `/hits.gif?website=${ID}`,
      headers: { referer: `${URL_OF_PAGE}/é` },
    });

    expect(status).toBe(200);
    expect(hits.stored).toHaveLength(1);
  });

  test('responds with the reason when a hit is dropped', async () => {
    const { ask } = await serveCollector();

    const { status, headers } = await ask({
      method: 'GET',
      url: `/hits.gif?${query}`,
      headers: { purpose: 'prefetch' },
    });

    expect([status, headers['hitherto-dropped']]).toEqual([200, 'prefetch']);
  });

  test.each([
    [422, `/hits.gif?website=${ID}`],
    [422, `/hits.gif?${query}&url=x`],
    [400, '/hits.gif?website=%zz'],
    [404, `/hits.gif?${query.replace(ID, 'x')}`],
  ])('is %i for %s', async (expected, url) => {
    const { ask, hits } = await serveCollector();

    const { status } = await ask({ method: 'GET', url });

    expect([status, hits.stored.length]).toEqual([expected, 0]);
  });

  test('a HEAD counts nothing', async () => {
    const { ask, hits } = await serveCollector();

    const { status, headers } = await ask({ method: 'HEAD', url: `/hits.gif?${query}` });

    expect([status, headers['content-type'], hits.stored.length]).toEqual([200, 'image/gif', 0]);
  });

  test.each([
    [422, '/hits.gif'],
    [400, '/hits.gif?website=%zz'],
    [404, `/hits.gif?${query.replace(ID, 'x')}`],
  ])('a HEAD is %i for %s, like a GET', async (expected, url) => {
    const { ask } = await serveCollector();

    expect((await ask({ method: 'HEAD', url })).status).toBe(expected);
  });
});

describe('POST /api/event', () => {
  const post = (body: object) => ({
    method: 'POST' as const,
    url: '/api/event',
    headers: { 'content-type': 'text/plain' },
    payload: JSON.stringify(body),
  });

  test.each([ID, 'ex.com', 'https://EX.com/'])('counts for the website %s', async (d) => {
    const { ask, hits } = await serveCollector();

    const { status } = await ask(post({ n: 'pageview', u: URL_OF_PAGE, d, r: null }));

    expect(status).toBe(202);
    expect(hits.stored).toMatchObject([{ websiteId: ID, page: '/page', name: null }]);
  });

  test('accepts engagement without counting it', async () => {
    const { ask, hits } = await serveCollector();

    const { status } = await ask(post({ n: 'engagement', u: URL_OF_PAGE, d: 'ex.com' }));

    expect([status, hits.stored.length]).toEqual([202, 0]);
  });

  test('is 404 for an address of no website, or of two', async () => {
    const websites = [
      aWebsite({ url: 'https://ex.com' }),
      aWebsite({ url: 'http://ex.com', id: ID.replace(/1$/, '2') }),
    ];
    const { ask } = await serveCollector({ websites });

    expect((await ask(post({ n: 'pageview', u: URL_OF_PAGE, d: 'ex.com' }))).status).toBe(404);
    expect((await ask(post({ n: 'pageview', u: URL_OF_PAGE, d: 'nobody.example' }))).status).toBe(404);
  });
});

describe('GET /script.js', () => {
  test('serves the tracker, cached for a day', async () => {
    const { ask } = await serveCollector();

    const { status, headers, text } = await ask({ method: 'GET', url: '/script.js' });

    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=86400',
    ]);
    expect(text).toContain('hitherto');
  });

  test('compresses the tracker for clients that accept gzip', async () => {
    const { app } = await serveCollector();
    const { body } = await app.inject('/script.js');

    const { headers, rawPayload } = await app.inject({ url: '/script.js', headers: { 'accept-encoding': 'gzip' } });

    expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
    expect(gunzipSync(rawPayload).toString()).toBe(body);
  });

  test.each([
    ['its tag', (etag: string) => etag],
    ['its strong tag', (etag: string) => etag.replace('W/', '')],
    ['a list of tags', (etag: string) => `"old", ${etag}`],
    ['any tag', () => '*'],
  ])('is 304 if the client has it: %s', async (_, ifNoneMatch) => {
    const { ask } = await serveCollector();
    const { headers } = await ask({ method: 'GET', url: '/script.js' });

    const again = await ask({
      method: 'GET',
      url: '/script.js',
      headers: { 'if-none-match': ifNoneMatch(String(headers.etag)) },
    });

    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('is 200 if the client has another one', async () => {
    const { ask } = await serveCollector();

    const { status } = await ask({ method: 'GET', url: '/script.js', headers: { 'if-none-match': '"old"' } });

    expect(status).toBe(200);
  });
});

describe('metrics and logs', () => {
  test('count hits by outcome, and waiting hits, and log nothing', async () => {
    const { send, readMetrics, lines } = await serveCollector();

    await send({ website: ID, url: URL_OF_PAGE });
    await send({ website: ID, url: URL_OF_PAGE, automated: true });
    await send({});
    const text = await readMetrics();

    expect(text).toContain('hitherto_hits_total{outcome="counted",reason=""} 1');
    expect(text).toContain('hitherto_hits_total{outcome="dropped",reason="bot"} 1');
    expect(text).toContain('hitherto_hits_total{outcome="rejected",reason="validation"} 1');
    expect(text).toContain('hitherto_hits_waiting 0');
    expect(text).toContain('hitherto_hits_longest_wait_seconds 0');
    expect(lines).toEqual([]);
  });

  test.each([
    ['info', 1],
    ['fatal', 0],
    ['silent', 0],
  ])('at LOG_LEVEL %s a hit that cannot be stored takes %i lines of the log', async (logLevel, expected) => {
    const { send, lines } = await serveCollector({ logLevel });

    const response = await send({ website: ID, url: `https://ex.com${BAD_PAGE}` });

    expect(response.status).toBe(500);
    expect(lines).toHaveLength(expected);
  });
});
