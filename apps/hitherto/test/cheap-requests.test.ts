import { finished } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveFaces } from './support/faces.ts';
import { routesOf } from './support/routes.ts';

// Anyone may send these, as often as they like.

/** The most CPU time of a request without a key. */
const MOST_MS = 10;
const LONG = 'a'.repeat(7_000);

let app: FastifyInstance;
beforeAll(async () => {
  ({ app } = await serveFaces(() => new Date()));
});
afterAll(() => app.close());

/**
 * The CPU time of a request in milliseconds, the least of some, because compilers, collectors and other tests run now and then. The first does
 * what is done only once.
 */
async function costOf(method: string, url: string, more: InjectOptions = {}): Promise<number> {
  const costs: number[] = [];
  while (costs.length < 20 && !(Math.min(...costs.slice(1)) < MOST_MS)) {
    const before = process.cpuUsage();
    // As a string, a response of 2 MB would cost more than everything else.
    const response = await app.inject({ ...more, method: method as 'GET', url, payloadAsStream: true });
    await finished(response.stream().resume());
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1_000);
  }
  return Math.min(...costs.slice(1));
}

/** The requests that cost more than they may. */
async function dearOnes(requests: readonly (readonly [string, string, InjectOptions?])[]): Promise<string[]> {
  const dear: string[] = [];
  for (const [method, url, more] of requests) {
    const ms = await costOf(method, url, more);
    if (ms > MOST_MS) dear.push(`${method} ${url.slice(0, 60)}: ${ms} ms`);
  }
  return dear;
}

const filled = (path: string, value: string) => path.replaceAll(/:\w+/g, value);

test.each<[string, (path: string) => string, InjectOptions]>([
  ['as it is', (path) => filled(path, 'x'), { headers: { accept: 'text/html' } }],
  ['with compression', (path) => filled(path, 'x'), { headers: { 'accept-encoding': 'gzip' } }],
  ['with long parameters', (path) => filled(path, LONG), {}],
  ['with a long query', (path) => `${filled(path, 'x')}?${'a=1&'.repeat(3_000)}`, {}],
  ['with more parts', (path) => `${filled(path, 'x')}${'/a'.repeat(7_000)}`, {}],
])('A request without a key costs little on each route, %s', { timeout: 120_000 }, async (_name, addressOf, more) => {
  const routes = routesOf(app);

  const dear = await dearOnes(routes.map(({ method, path }) => [method, addressOf(path), more]));

  expect(routes.length).toBeGreaterThan(150);
  expect(dear).toEqual([]);
});

test('A request without a key costs little on paths that nobody serves', { timeout: 60_000 }, async () => {
  const paths = [
    '/nope',
    '/a'.repeat(7_900),
    '/'.repeat(16_000),
    `/${'a'.repeat(16_000)}`,
    `/websites/${'%2F'.repeat(5_000)}`,
    `/api/v1/websites${'/websites'.repeat(1_500)}`,
    `/docs/static/${'../'.repeat(5_000)}`,
  ];
  const requests = paths.flatMap((path) => ['GET', 'OPTIONS', 'PURGE'].map((method) => [method, path] as const));

  expect(await dearOnes(requests)).toEqual([]);
});

test('A body without a key costs little, whatever its type', { timeout: 60_000 }, async () => {
  const paths = [
    ...new Set(routesOf(app).flatMap(({ method, path }) => (method === 'POST' ? [filled(path, 'x')] : []))),
  ];
  const bodies = [
    ['application/json', `${'['.repeat(4_000)}${']'.repeat(4_000)}`],
    ['text/plain', JSON.stringify({ url: `https://a.example/${LONG}` })],
    ['application/x-www-form-urlencoded', 'a=1&'.repeat(2_000)],
    ['application/octet-stream', gzipSync(LONG)],
  ] as const;

  const dear = await dearOnes(
    paths.flatMap((path) =>
      bodies.map(([type, payload]) => ['POST', path, { headers: { 'content-type': type }, payload }] as const),
    ),
  );

  expect(dear).toEqual([]);
});
