import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@hitherto/domain/base';
import { createInMemoryRepositories } from '@hitherto/memory';
import { expect, test } from 'vitest';
import { ID, serveCollector, URL_OF_PAGE } from './support/collector.ts';
import { addKey } from './support/keys.ts';

const HIT = { website: ID, url: URL_OF_PAGE };

test('a hit waits 10 s for the database, then gets 503 with Retry-After', async () => {
  const { send, hits } = await serveCollector();
  hits.away = true;
  const mute = await serveCollector();
  mute.directory.gate = new Promise(() => {});
  const start = performance.now();

  const responses = await Promise.all([send(HIT), mute.send(HIT)]);

  expect(performance.now() - start).toBeGreaterThan(9_900);
  expect(responses.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [503, '1'],
    [503, '1'],
  ]);
  expect(performance.now() - start).toBeLessThan(15_000);
});

test('a hit that may have been stored gets 503 without Retry-After', async () => {
  const { send, hits } = await serveCollector();
  hits.isDoubtful = true;

  const { status, headers } = await send(HIT);

  expect([status, headers['retry-after']]).toEqual([503, undefined]);
});

test('a hit is acknowledged when the database comes back in time', async () => {
  const { send, hits } = await serveCollector();
  hits.away = true;

  const waiting = send(HIT);
  await sleep(500);
  hits.away = false;

  expect((await waiting).status).toBe(202);
  expect(hits.stored).toHaveLength(1);
});

test('a hit waits until the database is migrated', async () => {
  const { lifecycle, send, directory } = await serveCollector();
  lifecycle.isPrepared = false;

  const waiting = send(HIT);
  await sleep(300);
  const askedBefore = directory.asked.length;
  lifecycle.isPrepared = true;

  expect((await waiting).status).toBe(202);
  expect(askedBefore).toBe(0);
});

test('a hit of another product with a key waits until the key can be found', async () => {
  const { access } = createInMemoryRepositories();
  const { accountId, key } = await addKey(access);
  let isAway = true;
  const { ask, hits, lifecycle } = await serveCollector({
    accountId,
    access: {
      ...access,
      findKeyByHash: async (hash) => {
        if (isAway) throw unavailable('away');
        return access.findKeyByHash(hash);
      },
    },
  });
  lifecycle.isPrepared = false;

  const waiting = ask({
    method: 'POST',
    url: '/api/send',
    payload: JSON.stringify({ type: 'event', payload: { website: ID, url: URL_OF_PAGE } }),
    headers: { authorization: `Bearer ${key}` },
  });
  await sleep(300);
  lifecycle.isPrepared = true;
  await sleep(300);
  isAway = false;

  expect((await waiting).status).toBe(200);
  expect(hits.stored).toHaveLength(1);
});
