import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ID, serveCollector, URL_OF_PAGE } from './support/collector.ts';

const HIT = { website: ID, url: URL_OF_PAGE };

test('a hit waits 10 s for the database, then gets 503, with Retry-After unless it may have been stored', async () => {
  const { send, hits } = await serveCollector();
  hits.fates.push('hangs');
  const start = performance.now();

  const doubtful = send(HIT);
  await sleep(200);
  const certain = send(HIT);
  const mute = await serveCollector();
  mute.directory.gate = new Promise(() => {});
  const responses = await Promise.all([doubtful, certain, mute.send(HIT)]);

  expect(performance.now() - start).toBeGreaterThan(9_900);
  expect(responses.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [503, undefined],
    [503, '1'],
    [503, '1'],
  ]);
  expect(performance.now() - start).toBeLessThan(11_500);
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

test('a closing server stores the waiting hits', async () => {
  const { app, send, hits } = await serveCollector();
  hits.away = true;
  const waiting = send(HIT);
  await sleep(100);

  const closing = app.close();
  hits.away = false;
  await closing;

  expect((await waiting).status).toBe(202);
  expect(hits.stored).toHaveLength(1);
});
