import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveFaces } from './support/faces.ts';

let app: FastifyInstance;
beforeAll(async () => {
  ({ app } = await serveFaces(() => new Date()));
});
afterAll(() => app.close());

/** What Firefox and Chromium send for an address that a person opens. */
const BROWSERS = [
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
];
const OTHERS = ['*/*', 'application/json', 'application/problem+json, text/html;q=0.5', 'image/webp,*/*', ''];

const open = async (url: string, accept: string, more: Record<string, string> = {}) => {
  const { statusCode, headers, body } = await app.inject({ url, headers: { accept, ...more } });
  return { status: statusCode, type: `${headers['content-type']}`.split(';')[0], headers, body };
};

describe.each([
  ['/nope', 404],
  ['/login', 404],
  ['/docs/', 404],
  ['/problems', 404],
  ['/problems/nothing', 404],
  ['/api/v2/nothing', 404],
  ['/%', 404],
  ['/hits', 405],
  ['/websites/x/destroy', 405],
])('%s is %i', (path, status) => {
  test.each(BROWSERS)('as a page for a browser that sends Accept: %s', async (accept) => {
    const response = await open(path, accept);

    expect([response.status, response.type]).toEqual([status, 'text/html']);
    expect(response.body).toContain(
      status === 404 ? 'There is no page at this address' : 'The method is not supported',
    );
    expect(response.headers['content-security-policy']).toContain("default-src 'none'");
    if (status === 405) expect(response.headers.allow).toContain('OPTIONS');
  });

  test.each(OTHERS)('as problem details for a client that sends Accept: %s', async (accept) => {
    const response = await open(path, accept);

    expect([response.status, response.type]).toEqual([status, 'application/problem+json']);
  });

  test('as problem details for a client with a key', async () => {
    const response = await open(path, BROWSERS[0] ?? '', { authorization: 'Bearer x' });

    expect([response.status, response.type]).toEqual([status, 'application/problem+json']);
  });
});

test('The explanation of a problem is a page for browsers, and JSON for others', async () => {
  const [page, json] = await Promise.all([
    open('/problems/rate_limited', BROWSERS[0] ?? ''),
    open('/problems/rate_limited', '*/*'),
  ]);

  expect([page.status, page.type, json.status, json.type]).toEqual([200, 'text/html', 200, 'application/json']);
  const { title, explanation }: { title: string; explanation: string } = JSON.parse(json.body);
  expect(page.body).toContain(`<h1>${title}</h1>`);
  expect(page.body.replaceAll('&quot;', '"')).toContain(explanation);
});

test('A form that a proxy sends with another host is rejected with what to do', async () => {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/sign-in',
    headers: {
      host: 'stats.example',
      origin: 'https://stats.example:8443',
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: 'key=x',
  });

  expect(statusCode).toBe(403);
  expect(body).toContain('If you did, a proxy changes the Host header.');
  expect(body).toContain('Let it pass the header as it is, with the port, or set PUBLIC_URL.');
});
