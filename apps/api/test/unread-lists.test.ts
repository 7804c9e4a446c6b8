import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { UNRECORDED } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';
import { aWebsite } from '@hitherto/testing/fixtures';
import { describe, expect, onTestFinished, test } from 'vitest';
import { create } from './definitions/definitions.ts';
import { type Api, type Overrides, startApiForTest } from './support/api.ts';

// api.md, "Limits": list responses that clients have not read.

const LIST = '/api/v1/websites?per_page=100';

/** A listening API whose account has this many websites of 64 KB each. */
async function withLongList(count: number, overrides: Overrides = {}): Promise<Api & { port: number }> {
  const api = await startApiForTest(overrides);
  const excludedParams = Array.from({ length: 128 }, (_, index) => `${index}`.padEnd(255, 'é'));
  for (let index = 0; index < count; index += 1) {
    const website = aWebsite({ id: newId(), url: `https://long-${index}.example`, excludedParams });
    await api.websites.insert(api.accountId, website, UNRECORDED);
  }
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  return { ...api, port: (api.app.server.address() as AddressInfo).port };
}

/** Creates this many segments of 800 KB each. */
async function addLongSegments(api: Api, path: string, count: number): Promise<void> {
  const values = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(2_000, 'é'));
  const filters = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`props[${index}].like`, values]));
  for (let index = 0; index < count; index += 1) await create(api, path, { name: `${index}`, filters });
}

/** Sends list requests on one connection, and reads nothing. */
async function askAndNotRead({ port, key }: { port: number; key: string }, times = 1, path = LIST): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`.repeat(times));
  return socket;
}

describe('List responses that clients have not read', () => {
  test('count until they are read: a sixth list of the account is 503 with Retry-After, other requests are served', async () => {
    const api = await withLongList(100);
    for (let index = 0; index < 5; index += 1) await askAndNotRead(api);
    await sleep(300);

    const refused = await api.send('GET', LIST);
    const shown = await api.send('GET', '/api/v1/websites/x');
    const other = await api.send('GET', LIST, { key: api.otherKey });

    expect([refused.status, shown.status, other.status]).toEqual([503, 404, 200]);
    expect(refused.header('retry-after')).toBe('1');
  });

  test('count whatever they list: after five of segments, a list of websites, segments or changes is 503', async () => {
    const api = await withLongList(0);
    const { id } = await api.createWebsite();
    const segments = `/api/v1/websites/${id}/segments`;
    await addLongSegments(api, segments, 8);
    for (let index = 0; index < 5; index += 1) await askAndNotRead(api, 1, segments);
    await sleep(300);

    const refused = await Promise.all([segments, LIST, '/api/v1/audit'].map((path) => api.send('GET', path)));

    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
  });

  test.each([
    ['each on a connection of its own', 5, 1],
    ['pipelined on one connection', 1, 5],
  ])('stop counting when their connections are lost: %s', async (_name, connections, each) => {
    const api = await withLongList(100);
    const sockets: Socket[] = [];
    while (sockets.length < connections) sockets.push(await askAndNotRead(api, each));
    await sleep(300);
    for (const socket of sockets) socket.destroy();

    await sleep(50);

    const list = await api.send('HEAD', LIST);

    expect(list.status).toBe(200);
  });

  test('stop counting when clients hang up during the query', async () => {
    const api = await withLongList(1, {
      websites: (real) => ({
        ...real,
        list: async (...args) => {
          await sleep(100);
          return real.list(...args);
        },
      }),
    });
    const sockets = await Promise.all(Array.from({ length: 5 }, () => askAndNotRead(api)));
    await sleep(50);
    for (const socket of sockets) socket.destroy();

    const lists = await Promise.all(Array.from({ length: 5 }, () => api.send('GET', LIST)));

    expect(lists.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });
});

test('Each further 256 KiB of a list costs one more request', async () => {
  const api = await withLongList(40, { rateLimitPerMinute: 20 });

  const before = await api.send('GET', '/api/v1/websites/x');
  const list = await api.send('GET', LIST);

  const left = ({ header }: typeof list) => Number(/r=(\d+)/.exec(header('ratelimit') ?? '')?.[1]);
  expect(Math.ceil(Buffer.byteLength(list.text) / 262_144)).toBe(11);
  // The allowance may be refilled by one meanwhile; that takes three seconds.
  expect([10, 11]).toContain(left(before) - left(list));
});
