import { expect, test } from 'vitest';
import { createClient } from '../src/index.ts';

/** A client whose requests all get this response. */
function clientOf(body: string, init: ResponseInit) {
  return createClient({ baseUrl: 'http://stats.test', key: 'hto_x', fetch: async () => new Response(body, init) });
}

test('a problem becomes an error with its code, message and Retry-After', async () => {
  const problem = { code: 'rate_limited', title: 'Too many requests', detail: 'Wait 7 s.', status: 429 };
  const headers = { 'content-type': 'application/problem+json; charset=utf-8', 'retry-after': '7' };
  const client = clientOf(JSON.stringify(problem), { status: 429, headers });

  await expect(client.GET('/api/v1/websites')).rejects.toMatchObject({
    message: 'Too many requests: Wait 7 s.',
    status: 429,
    code: 'rate_limited',
    retryAfter: 7,
    problem,
  });
});

test.each([
  ['of a proxy', '<h1>Bad gateway</h1>', { 'content-type': 'text/html' }],
  ['that is cut off', '{"code":', { 'content-type': 'application/problem+json' }],
])('a response %s is an error without a problem', async (_kind, body, headers) => {
  const client = clientOf(body, { status: 502, headers });

  await expect(client.GET('/api/v1/websites')).rejects.toMatchObject({
    message: 'The response has status 502.',
    status: 502,
    code: undefined,
    problem: undefined,
    retryAfter: undefined,
  });
});

test('a request carries the key', async () => {
  let authorization: string | null = null;
  const client = createClient({
    baseUrl: 'http://stats.test/',
    key: 'hto_x',
    fetch: async (request) => {
      authorization = request.headers.get('authorization');
      return Response.json({ data: [], links: { next: null, prev: null } });
    },
  });

  await client.GET('/api/v1/websites');

  expect(authorization).toBe('Bearer hto_x');
});
