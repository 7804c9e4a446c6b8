import { readFileSync } from 'node:fs';
import { PROBLEMS } from '@hitherto/http';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from './support/api.ts';

// api.md, "Errors".

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const WEBSITES = '/api/v1/websites';
const DOCUMENT = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
/** The table of api.md: each status with its codes. */
const TABLE: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...DOCUMENT.matchAll(/^\| ([45]\d\d) +\| (.*) \|$/gm)].map(([, status = '', codes = '']) => [
    status,
    [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
  ]),
);

describe('application/problem+json (RFC 9457)', () => {
  test('has type, title, status, detail, code and request_id, in this order, then errors', async () => {
    const response = await api.send('POST', WEBSITES, { json: { url: 'https://a.example', exclude_ips: '::1\n\nx' } });

    const body = response.problem();
    expect(Object.keys(body)).toEqual(['type', 'title', 'status', 'detail', 'code', 'request_id', 'errors']);
    expect(body).toMatchObject({
      type: '/problems/validation',
      title: 'The request has invalid fields',
      status: 422,
      code: 'validation',
      request_id: response.header('x-request-id'),
      errors: [
        { field: 'exclude_ips', line: 3, code: 'invalid_ip', detail: 'Line 3 is not an IP address or CIDR range.' },
      ],
    });
  });

  test.each(['text/html', 'application/xml;q=1, application/json;q=0', 'nonsense', ''])(
    'whatever Accept says: %j',
    async (accept) => {
      const error = await api.send('GET', `${WEBSITES}/x`, { headers: { accept } });
      const unknown = await api.send('GET', '/nowhere', { headers: { accept } });
      const good = await api.send('GET', WEBSITES, { headers: { accept } });

      expect([error.header('content-type'), unknown.header('content-type')]).toEqual([
        'application/problem+json',
        'application/problem+json',
      ]);
      expect(good.header('content-type')).toMatch(/^application\/json/);
    },
  );

  test.each([
    '/',
    '/api',
    '/api/v1',
    '/favicon.ico',
    '/api/v1/websites/a/b',
    '/websites',
    '/websites/a',
    '/api/v2/websites',
    '//',
    '/%',
  ])('unknown route %s is 404 not_found, with and without a key', async (path) => {
    const keyless = await api.send('GET', path, { key: null });
    const keyed = await api.send('DELETE', path);

    expect([keyless.problem().code, keyed.problem().code]).toEqual(['not_found', 'not_found']);
  });
});

describe('An error never holds a stack trace, SQL, a host name or the offending value', () => {
  test('the value of a field or parameter is not repeated', async () => {
    const value = 'canary=#';
    const form = Object.fromEntries(
      ['url', 'privacy', 'email', 'exclude_bots', 'exclude_params', 'exclude_ips'].map((name) => [name, value]),
    );
    const json = { ...form, password: value.repeat(40) };
    const responses = [
      await api.send('POST', WEBSITES, { form }),
      await api.send('POST', WEBSITES, { json }),
      await api.send('POST', WEBSITES, { json: { url: [value], privacy: { value }, password: [value] } }),
      await api.send('GET', `${WEBSITES}?sort=canary&per_page=canary&cursor=canary&search=${'canary'.repeat(50)}`),
      await api.send('GET', `${WEBSITES}?cursor=canary`),
      await api.send('GET', `${WEBSITES}/canary`),
      await api.send('GET', '/canary'),
      await api.send('POST', WEBSITES, { headers: { 'content-type': 'canary/canary' }, body: 'canary' }),
      await api.send('POST', WEBSITES, { headers: { 'content-type': 'application/json' }, body: '{canary' }),
      await api.send('POST', WEBSITES, { json, headers: { 'idempotency-key': 'canary canary' } }),
      await api.send('GET', WEBSITES, { key: 'canary' }),
      await api.send('PUT', `${WEBSITES}/x`, { json: {}, headers: { 'if-match': 'canary' } }),
    ];

    for (const response of responses) {
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.text).not.toContain('canary');
    }
  });

  test('an internal error is 500 internal and says nothing about its cause', async () => {
    const fault = Object.assign(new Error('insert into "websites" failed at db-north.internal:5432'), {
      code: '42P01',
    });
    const broken = await startApiForTest({
      websites: (real) => ({ ...real, insert: () => Promise.reject(fault), list: () => Promise.reject('text') }),
    });

    const created = await broken.send('POST', WEBSITES, { json: { url: 'https://a.example' } });
    const listed = await broken.send('GET', WEBSITES);

    for (const response of [created, listed]) {
      expect([response.status, response.problem().code]).toEqual([500, 'internal']);
      expect(response.text).not.toMatch(/insert|db-north|5432|42P01|at .*:\d|\.ts|text"/);
    }
    expect(broken.log()).toContain('42P01');
    expect(broken.log()).not.toMatch(/db-north|insert into/);
  });

  test('no response repeats Host or forwarded headers', async () => {
    const headers = {
      host: 'canary.example',
      'x-forwarded-host': 'canary.example',
      'x-forwarded-proto': 'canary',
      forwarded: 'host=canary.example',
      'x-request-id': 'canary',
    };
    const responses = [
      await api.send('GET', WEBSITES, { headers }),
      await api.send('POST', WEBSITES, { headers, json: { url: 'https://hosts.example' } }),
      await api.send('GET', '/docs', { headers }),
      await api.send('GET', '/openapi.json', { headers }),
      await api.send('GET', '/nowhere', { headers }),
    ];

    for (const response of responses) expect(JSON.stringify([response.text, response.headers])).not.toContain('canary');
  });
});

describe('GET /problems/{code} (JSON, no key) explains each code, from the table that the service itself uses', () => {
  test('the table is the one in api.md', () => {
    const statuses = Object.entries(PROBLEMS).map(([code, { status }]) => `${status} ${code}`);

    expect(statuses.sort()).toEqual(
      Object.entries(TABLE)
        .flatMap(([status, codes]) => codes.map((code) => `${status} ${code}`))
        .sort(),
    );
  });

  test.each(Object.keys(PROBLEMS))('%s', async (code) => {
    const response = await api.send('GET', `/problems/${code}`, { key: null });

    const page = response.json<{ code: string; type: string; status: number; explanation: string }>();
    expect(response.status).toBe(200);
    expect(page).toMatchObject({ type: `/problems/${code}`, code });
    expect(TABLE[page.status]).toContain(code);
    expect(page.explanation.length).toBeGreaterThan(20);
  });

  test.each(['unknown', 'toString', '__proto__', 'constructor'])('%s is 404', async (code) => {
    expect((await api.send('GET', `/problems/${code}`, { key: null })).status).toBe(404);
  });
});

describe('429 and 503 have Retry-After', () => {
  test('operations on websites are 503 while the database is away, and work again afterwards', async () => {
    const away = () => Promise.reject(new (class extends Error {})('x'));
    const { unavailable } = await import('@hitherto/domain/base');
    let isDown = false;
    const guard =
      <A extends unknown[], R>(work: (...given: A) => Promise<R>) =>
      (...given: A): Promise<R> =>
        isDown ? Promise.reject(unavailable('The database is away.')) : work(...given);
    const own = await startApiForTest({
      ping: () => (isDown ? away() : Promise.resolve()),
      websites: (real) => ({
        find: guard(real.find),
        list: guard(real.list),
        names: guard(real.names),
        insert: guard(real.insert),
        replace: guard(real.replace),
        move: guard(real.move),
        delete: guard(real.delete),
      }),
    });
    const { id } = await own.createWebsite();
    const operations = [
      ['GET', WEBSITES],
      ['GET', `${WEBSITES}/${id}`],
      ['PUT', `${WEBSITES}/${id}`],
      ['DELETE', `${WEBSITES}/${id}`],
      ['DELETE', `/websites/${id}/destroy`],
      ['GET', '/readyz'],
    ] as const;

    isDown = true;
    const down = [];
    for (const [method, path] of operations) down.push(await own.send(method, path));
    down.push(await own.send('POST', WEBSITES, { json: { url: 'https://down.example' } }));
    const live = await own.send('GET', '/livez');
    isDown = false;
    const up = await own.send('GET', `${WEBSITES}/${id}`);

    expect(down.map((response) => response.problem().code)).toEqual(down.map(() => 'unavailable'));
    expect(down.map((response) => response.header('retry-after'))).toEqual(down.map(() => '1'));
    expect([live.status, up.status]).toEqual([200, 200]);
  });

  test('a create is 503 when too many passwords wait to be hashed', async () => {
    const { createPasswordHasher } = await import('@hitherto/outside/password-hasher');
    const own = await startApiForTest({ passwords: createPasswordHasher({ concurrency: 2, waiting: 3 }) });
    const { id } = await own.createWebsite();
    const create = (index: number) =>
      own.send('POST', WEBSITES, { json: { url: `https://hash-${index}.example`, password: 'p' } });

    const responses = await Promise.all(Array.from({ length: 12 }, (_, index) => create(index)));
    const after = await own.send('PATCH', `${WEBSITES}/${id}`, { json: { password: 'later' } });

    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(7).fill(503)]);
    expect(after.status).toBe(200);
  });

  test('no password is hashed when the request fails earlier', async () => {
    let hashes = 0;
    const own = await startApiForTest({
      passwords: {
        ...quickHasher,
        hash: (password) => {
          hashes += 1;
          return quickHasher.hash(password);
        },
      },
    });

    await own.send('POST', WEBSITES, { json: { url: 'x', password: 'p' } });
    await own.send('PATCH', `${WEBSITES}/x`, { json: { password: 'p' } });
    await own.send('POST', WEBSITES, { key: own.readKey, json: { url: 'https://a.example', password: 'p' } });

    expect(hashes).toBe(0);
  });
});
