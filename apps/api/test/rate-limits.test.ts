import { describe, expect, test } from 'vitest';
import { type Api, startApiForTest } from './support/api.ts';

// api.md, "Limits".

const LIST = '/api/v1/websites';
/** RateLimit of draft-ietf-httpapi-ratelimit-headers: what remains, and after how many seconds there is more. */
const remaining = (header: string | undefined) => /^"account";r=(\d+)(?:;t=(\d+))?$/.exec(header ?? '')?.slice(1);

test('Each account has an allowance of its own', async () => {
  const api = await startApiForTest({ rateLimitPerMinute: 1 });

  const statuses = [];
  for (const key of [api.key, api.readKey, api.otherKey, api.otherKey]) {
    statuses.push((await api.send('GET', LIST, { key })).status);
  }

  expect(statuses).toEqual([200, 429, 200, 429]);
});

describe('Every authenticated response announces the allowance in RateLimit and RateLimit-Policy; beyond it, 429', () => {
  test('each request takes one, whatever the response, a 403 too', async () => {
    const api = await startApiForTest({ rateLimitPerMinute: 9 });
    const sent = [
      await api.send('GET', LIST),
      await api.send('POST', LIST, { json: { url: 'https://limit.example' } }),
      await api.send('GET', `${LIST}/unknown`),
      await api.send('POST', LIST, { json: {} }),
      await api.send('POST', LIST, { headers: { 'content-type': 'text/plain' }, body: 'x' }),
      await api.send('POST', LIST, { headers: { 'content-type': 'application/json' }, body: '{' }),
      await api.send('POST', LIST, { headers: { 'content-type': 'application/json' }, body: 'x'.repeat(1_048_577) }),
      await api.send('DELETE', '/websites/x/destroy', { key: api.readKey }),
      await api.send('HEAD', LIST),
    ];

    const refused = await api.send('GET', LIST);

    expect(sent.map(({ status }) => status)).toEqual([200, 201, 404, 422, 415, 400, 413, 403, 200]);
    for (const response of [...sent, refused]) expect(response.header('ratelimit-policy')).toBe('"account";q=9;w=60');
    expect(sent.map((response) => remaining(response.header('ratelimit'))?.[0])).toEqual('876543210'.split(''));
    expect([refused.status, refused.problem().code]).toEqual([429, 'rate_limited']);
    const [left, seconds] = remaining(refused.header('ratelimit')) ?? [];
    expect(left).toBe('0');
    expect(Number(refused.header('retry-after'))).toBeGreaterThanOrEqual(Number(seconds));
  });

  test('without a key, or with a bad one, nothing is announced or taken', async () => {
    const api = await startApiForTest({ rateLimitPerMinute: 1 });

    const missing = await api.send('GET', LIST, { key: null });
    const bad = await api.send('GET', LIST, { key: 'bad' });
    const good = await api.send('GET', LIST);

    for (const response of [missing, bad]) expect(response.header('ratelimit')).toBeUndefined();
    expect(good.status).toBe(200);
  });

  test('a limit of 0 turns the limit off', async () => {
    const api = await startApiForTest({ rateLimitPerMinute: 0 });

    const response = await api.send('GET', LIST);

    expect([response.status, response.header('ratelimit'), response.header('ratelimit-policy')]).toEqual([
      200,
      undefined,
      undefined,
    ]);
  });
});

describe('60 failed keys a minute per client address (IPv6: per /64), then 429 for any key that this instance has not just accepted', () => {
  const fail = async (api: Api, times: number, remoteAddress = '192.0.2.1', headers = {}) => {
    const statuses = new Set<number>();
    for (let index = 0; index < times; index += 1) {
      const key = `hto_${index}`;
      statuses.add((await api.send('GET', LIST, { key, remoteAddress, headers })).status);
    }
    return [...statuses];
  };
  const status = async (api: Api, key: string | null, remoteAddress = '192.0.2.1', headers = {}) =>
    (await api.send('GET', LIST, { key, remoteAddress, headers })).status;

  test('60 are 401, the 61st is 429 with Retry-After', async () => {
    const api = await startApiForTest();

    const first = await fail(api, 60);
    const next = await api.send('GET', LIST, { key: 'bad', remoteAddress: '192.0.2.1' });

    expect(first).toEqual([401]);
    expect(next.problem().code).toBe('rate_limited');
    expect(Number(next.header('retry-after'))).toBeLessThanOrEqual(60);
  });

  test('a valid key that was just accepted passes, another valid key is 429', async () => {
    const api = await startApiForTest();
    await status(api, api.key);

    await fail(api, 60);
    const accepted = await status(api, api.key);
    const fresh = await status(api, api.otherKey);

    expect([accepted, fresh]).toEqual([200, 429]);
  });

  test('a key that is rejected this way costs no lookup', async () => {
    let queries = 0;
    const api = await startApiForTest({
      access: (real) => ({
        ...real,
        findKeyByHash: (hash) => {
          queries += 1;
          return real.findKeyByHash(hash);
        },
      }),
    });
    await fail(api, 60);

    await status(api, api.key);

    expect(queries).toBe(0);
  });

  test('malformed and unknown keys and other schemes count as failed keys; a missing key does not', async () => {
    const api = await startApiForTest();
    const stranger = await startApiForTest();

    for (let index = 0; index < 100; index += 1) await status(api, null);
    for (let index = 0; index < 20; index += 1) {
      await status(api, 'malformed');
      await status(api, null, '192.0.2.1', { authorization: 'Basic eDp5' });
      await status(api, stranger.key);
    }
    const beyond = await status(api, 'malformed');
    const missing = await status(api, null);

    expect([beyond, missing]).toEqual([429, 401]);
  });

  test('requests that succeed or fail for other reasons do not count', async () => {
    const api = await startApiForTest();

    for (let index = 0; index < 100; index += 1) {
      await status(api, api.key);
      await api.send('POST', LIST, { key: api.readKey, remoteAddress: '192.0.2.1' });
    }

    expect(await status(api, 'bad')).toBe(401);
  });

  test('each address has its own count', async () => {
    const api = await startApiForTest();

    await fail(api, 60, '192.0.2.1');

    expect(await status(api, api.key, '192.0.2.1')).toBe(429);
    expect(await status(api, api.key, '::ffff:192.0.2.1')).toBe(429);
    expect(await status(api, api.key, '192.0.2.2')).toBe(200);
  });

  test('IPv6 addresses of one /64 share a count', async () => {
    const api = await startApiForTest();

    for (let index = 0; index < 60; index += 1) await status(api, 'bad', `2001:db8:0:7::${index.toString(16)}`);

    expect(await status(api, api.key, '2001:db8:0:7:ffff::1')).toBe(429);
    expect(await status(api, api.key, '2001:db8:0:8::1')).toBe(200);
  });
});

describe('X-Forwarded-For counts only when it comes from a configured proxy', () => {
  const fail = async (api: Api, remoteAddress: string, forwarded: (index: number) => string) => {
    for (let index = 0; index < 60; index += 1) {
      await api.send('GET', LIST, { key: 'bad', remoteAddress, headers: { 'x-forwarded-for': forwarded(index) } });
    }
  };
  const status = async (api: Api, remoteAddress: string, forwarded: string) =>
    (await api.send('GET', LIST, { remoteAddress, headers: { 'x-forwarded-for': forwarded } })).status;

  test('from others it is ignored: a made-up one does not hide a client', async () => {
    const api = await startApiForTest({ trustedProxies: ['10.0.0.0/8'] });

    await fail(api, '192.0.2.1', (index) => `198.51.100.${index}`);

    expect(await status(api, '192.0.2.1', '203.0.113.9')).toBe(429);
    expect(await status(api, '192.0.2.2', '192.0.2.1')).toBe(200);
  });

  test('it is ignored when no proxy is configured', async () => {
    const api = await startApiForTest();

    await fail(api, '127.0.0.1', (index) => `198.51.100.${index}`);

    expect(await status(api, '127.0.0.1', '203.0.113.9')).toBe(429);
  });

  test('from a proxy it names the client; what the client itself wrote into it is ignored', async () => {
    const api = await startApiForTest({ trustedProxies: ['10.0.0.0/8', '2001:db8:ffff::1'] });

    await fail(api, '10.1.2.3', (index) => `198.51.100.${index}, 203.0.113.9, 10.9.9.9`);

    expect(await status(api, '10.1.2.3', '203.0.113.9')).toBe(429);
    expect(await status(api, '2001:db8:ffff::1', '203.0.113.9')).toBe(429);
    expect(await status(api, '203.0.113.9', '10.1.2.3')).toBe(429);
    expect(await status(api, '10.1.2.3', '203.0.113.10')).toBe(200);
  });

  test('nonsense in it does no harm', async () => {
    const api = await startApiForTest({ trustedProxies: ['10.0.0.1'] });

    for (const forwarded of ['', ',', 'é🦊', 'unknown', '999.1.1.1', "' or 1=1", 'x'.repeat(5000)]) {
      expect(await status(api, '10.0.0.1', Buffer.from(forwarded).toString('latin1'))).toBe(200);
    }
  });
});
