import { unavailable } from '@hitherto/domain/base';
import { describe, expect, test } from 'vitest';
import { type Api, startApiForTest } from './support/api.ts';
import { listen } from './support/sockets.ts';

// api.md, "Resource", "Errors" and "Authentication": what no log line ever holds, at the most verbose level.

const WEBSITES = '/api/v1/websites';

/** Looks for each secret as it is, and as encoded in urls, base64 and hex. */
function expectNoneIn(log: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    const forms = [
      secret,
      encodeURIComponent(secret),
      ...(['base64url', 'hex'] as const).map((form) => Buffer.from(secret).toString(form)),
    ];
    for (const form of forms) expect(log.includes(form), `the log holds ${secret}`).toBe(false);
  }
}

const SECRETS = {
  password: 'canary-password-é🦊',
  idempotency: 'canary-idempotency-key',
  url: 'https://canary-url.example/canary-path',
  host: 'canary-url',
  search: 'canary-search',
  header: 'canary-header',
  ips: '203.0.113.251',
  params: 'canary-param',
};

async function useAll(api: Api): Promise<void> {
  const { password, idempotency, url, search, header, ips, params } = SECRETS;
  const fields = { url, privacy: 2, password, exclude_ips: ips, exclude_params: params };
  const headers = { 'idempotency-key': idempotency, 'x-canary': header, cookie: header, 'user-agent': header };
  const sent = [
    await api.send('POST', WEBSITES, { json: fields, headers }),
    await api.send('POST', WEBSITES, { json: fields, headers }),
    await api.send('POST', WEBSITES, { json: { ...fields, email: 1 }, headers }),
    await api.send('POST', WEBSITES, { json: fields }),
    await api.send('POST', WEBSITES, {
      json: { ...fields, url: `${url}#${url}`, [params]: password, exclude_ips: params },
    }),
    await api.send('POST', WEBSITES, { headers: { 'content-type': 'application/json' }, body: `{"url":"${url}` }),
    await api.send('POST', WEBSITES, { headers: { 'content-type': header }, body: password }),
    await api.send('POST', WEBSITES, { form: `password=${password}%zz` }),
    await api.send('GET', `${WEBSITES}?search=${search}`),
    await api.send('GET', `${WEBSITES}?cursor=${search}&${params}=1`),
    await api.send('GET', `${WEBSITES}/${search}?${params}=1`),
    await api.send('GET', `${WEBSITES}/%zz${search}`),
    await api.send('GET', `/${search}?access_token=${api.key}`),
    await api.send('GET', WEBSITES, { key: `${api.key}x` }),
    await api.send('GET', WEBSITES, { key: api.otherKey.replace(/.$/, '') }),
    await api.send('DELETE', WEBSITES, {
      key: null,
      headers: { authorization: [`Bearer ${api.key}`, `Basic ${header}`] },
    }),
  ];
  expect(new Set(sent.map(({ status }) => status)).size).toBeGreaterThan(5);
}

describe('never logged: key, password, Idempotency-Key, url, query, headers and bodies', () => {
  test('of good and bad requests', async () => {
    const api = await startApiForTest();

    await useAll(api);

    expect(api.log()).toContain('"route":"/api/v1/websites"');
    expectNoneIn(api.log(), [...Object.values(SECRETS), api.key, api.key.slice(4, 40), api.otherKey.slice(4, 40)]);
  });

  test('of requests that fail internally with errors that quote them', async () => {
    const text = Object.values(SECRETS).join(' ');
    const fault = Object.assign(
      new Error(`Failing row contains (${text}) at database-host-7`, { cause: new Error(text) }),
      {
        detail: text,
        where: text,
        parameters: [text],
      },
    );
    const api = await startApiForTest({
      passwords: { hash: () => Promise.reject(fault), verify: () => Promise.reject(fault) },
      websites: (real) => ({
        ...real,
        list: () => Promise.reject(unavailable('The database is away.', fault)),
        find: () => Promise.reject(fault),
      }),
    });

    const responses = [
      await api.send('POST', WEBSITES, { json: { url: SECRETS.url, password: SECRETS.password } }),
      await api.send('GET', WEBSITES),
      await api.send('GET', `${WEBSITES}/x`),
    ];

    expect(responses.map(({ status }) => status)).toEqual([500, 503, 500]);
    expect(api.log()).toContain('"msg":"request failed"');
    expectNoneIn(api.log() + responses.map((response) => response.text).join(''), [
      ...Object.values(SECRETS),
      'database-host-7',
    ]);
  });

  test('of bytes that are not a request', async () => {
    const { api, exchange } = await listen();

    await exchange(`canary-line ${api.key}\r\nAuthorization: Bearer ${api.key}\r\n\r\n`);
    await exchange(`GET /?${api.key} HTTP/1.1\r\nAuthorization: Bearer ${api.key}\r\nbad header\r\n\r\n`);
    await exchange(`GET /${'x'.repeat(17_000)}${api.key} HTTP/1.1\r\nHost: a\r\n\r\n`);

    expect(api.log()).not.toBe('');
    expectNoneIn(api.log(), ['canary-line', api.key, api.key.slice(4, 40), 'bad header']);
  });

  test('each request is one log line: method, route, status, time, problem, and the ids of account and key', async () => {
    const api = await startApiForTest({ logLevel: 'info' });

    const response = await api.send('GET', `${WEBSITES}/canary`);

    const lines = api
      .log()
      .trim()
      .split('\n')
      .filter((line) => line.includes(response.header('x-request-id') ?? ''))
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: expect.any(Number),
        hostname: expect.any(String),
        request_id: response.header('x-request-id'),
        method: 'GET',
        route: '/api/v1/websites/:id',
        status: 404,
        ms: expect.any(Number),
        problem: 'not_found',
        account: api.accountId,
        key: expect.stringMatching(/^[0-9a-f-]{36}$/),
        msg: 'request',
      },
    ]);
  });
});
