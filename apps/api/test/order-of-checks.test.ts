import { unavailable } from '@hitherto/domain/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, type Sent, startApi, startApiForTest } from './support/api.ts';

// api.md, "Order of checks": each request below has the fault of its step and of every later step that it can have.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const UNKNOWN = '/api/v1/websites/01997c3e-0000-7000-8000-00000000dead';
const big = 'x'.repeat(1_048_577);
const xml = { 'content-type': 'text/xml' };
const json = { 'content-type': 'application/json' };
const odd = { 'content-type': 'nonsense' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('Order of checks', () => {
  const cases: [string, string, string, Sent, number][] = [
    ['route 404 before authentication', 'POST', '/api/v1/nowhere', { key: null, headers: xml, body: big }, 404],
    ['route 404 before media type', 'POST', '/api/v1/nowhere', { headers: xml, body: '<a/>' }, 404],
    ['route 404 before decoding', 'POST', '/api/v1/nowhere', { headers: json, body: '{' }, 404],
    ['route 404 before a malformed media type', 'POST', '/api/v1/nowhere', { headers: odd, body: '{' }, 404],
    ['method 405 before a malformed media type', 'POST', UNKNOWN, { headers: odd, body: '{' }, 405],
    ['method 405 before authentication', 'POST', UNKNOWN, { key: null, headers: xml, body: big }, 405],
    ['method 405 before media type', 'POST', UNKNOWN, { headers: xml, body: '<a/>' }, 405],
    ['method 405 before decoding', 'POST', '/livez', { headers: json, body: '{' }, 405],
    ['authentication 401 before media type', 'POST', '/api/v1/websites', { key: null, headers: xml, body: big }, 401],
    ['authentication 401 before the id', 'PUT', '/api/v1/websites/%20', { key: null }, 401],
    ['media type 415 before size', 'POST', '/api/v1/websites', { headers: xml, body: big }, 415],
    [
      'Content-Encoding 415 before size',
      'POST',
      '/api/v1/websites',
      { headers: { ...form, 'content-encoding': 'gzip' }, body: big },
      415,
    ],
    ['size 413 before decoding', 'POST', '/api/v1/websites?%zz', { headers: form, body: `%zz${big}` }, 413],
    [
      'decoding 400 before fields',
      'PUT',
      `${UNKNOWN}?nonsense`,
      { headers: form, body: 'privacy=9&password=%zz' },
      400,
    ],
    ['decoding 400 of the query before fields', 'PUT', `${UNKNOWN}?a=%zz`, { form: 'privacy=9' }, 400],
    ['fields 422 before existence', 'PUT', UNKNOWN, { form: 'privacy=9', headers: { 'if-match': '"stale"' } }, 422],
    [
      'existence 404 before precondition',
      'PUT',
      UNKNOWN,
      { form: 'privacy=2', headers: { 'if-match': '"stale"' } },
      404,
    ],
    ['existence 404 before precondition on delete', 'DELETE', UNKNOWN, { headers: { 'if-match': '"stale"' } }, 404],
  ];
  test.each(cases)('%s', async (_name, method, path, sent, status) => {
    const response = await api.send(method, path, sent);

    expect(response.status, response.text).toBe(status);
  });

  test('scope 403 before media type, size, decoding and fields', async () => {
    const response = await api.send('POST', '/api/v1/websites?%zz', { key: api.readKey, headers: xml, body: big });

    expect(response.problem().code).toBe('insufficient_scope');
  });

  test('scope 403 before rate limit 429, and rate limit 429 before media type', async () => {
    const limited = await startApiForTest({ rateLimitPerMinute: 1 });
    await limited.send('GET', '/api/v1/websites');

    const denied = await limited.send('POST', '/api/v1/websites', { key: limited.readKey, headers: xml, body: '<a/>' });
    const refused = await limited.send('POST', '/api/v1/websites', { headers: xml, body: '<a/>' });

    expect([denied.status, refused.status]).toEqual([403, 429]);
  });

  test('a repeated Idempotency-Key comes after fields and before conflict', async () => {
    const headers = { 'idempotency-key': 'order' };
    const first = await api.createWebsite({ url: 'https://order.example' }, { headers });
    await api.createWebsite({ url: 'https://taken.example' });

    const faulty = await api.send('POST', '/api/v1/websites', { json: { url: 'nonsense' }, headers });
    const reused = await api.send('POST', '/api/v1/websites', { json: { url: 'https://taken.example' }, headers });
    const replay = await api.send('POST', '/api/v1/websites', { json: { url: 'https://order.example' }, headers });

    expect(faulty.problem().code).toBe('validation');
    expect(reused.problem().code).toBe('idempotency_key_reused');
    expect(replay.website()).toEqual(first);
  });

  test('precondition 412 before rules that need the stored website 422, and those before conflict 409', async () => {
    const taken = await api.createWebsite();
    const { id } = await api.createWebsite();
    const fields = { privacy: 2, url: taken.url };

    const stale = await api.send('PUT', `/api/v1/websites/${id}`, { json: fields, headers: { 'if-match': '"stale"' } });
    const unruly = await api.send('PUT', `/api/v1/websites/${id}`, { json: fields });
    const conflict = await api.send('PUT', `/api/v1/websites/${id}`, { json: { url: taken.url } });

    expect(stale.problem().code).toBe('precondition_failed');
    expect(unruly.faults()).toEqual(['password password_required']);
    expect(conflict.problem()).toMatchObject({ code: 'url_taken', existing_id: taken.id });
  });

  test('keys that cannot be looked up are 503, never 401', async () => {
    const down = await startApiForTest({
      access: (real) => ({ ...real, findKeyByHash: () => Promise.reject(unavailable('The database is away.')) }),
    });

    const response = await down.send('GET', '/api/v1/websites');

    expect(response.problem().code).toBe('unavailable');
    expect(response.header('retry-after')).toBe('1');
    expect(response.header('www-authenticate')).toBeUndefined();
  });

  test('Nothing before authentication costs a database query, and neither does a malformed key', async () => {
    let queries = 0;
    const counted = await startApiForTest({
      access: (real) => ({
        ...real,
        findKeyByHash: (hash) => {
          queries += 1;
          return real.findKeyByHash(hash);
        },
      }),
      websites: (real) => ({
        ...real,
        find: (...given) => {
          queries += 1;
          return real.find(...given);
        },
      }),
    });
    const malformed = [`${counted.key}x`, counted.key.slice(0, -1), `hto_${'0'.repeat(49)}`, 'x', 'é', "' or 1=1"];

    for (const key of [null, ...malformed.map((text) => Buffer.from(text).toString('latin1'))]) {
      await counted.send('GET', UNKNOWN, { key });
      await counted.send('GET', '/nowhere', { key });
      await counted.send('POST', '/livez', { key });
    }
    const withoutAKey = queries;
    await counted.send('GET', UNKNOWN);

    expect(withoutAKey).toBe(0);
    expect(queries).toBe(2);
  });
});
