import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { collectServerHits, collectServerHitsOnce } from '../../src/statistics/collecting/collect-server-hits.ts';
import { untilAvailable } from '../../src/statistics/collecting/outage.ts';
import { aCollection, aServerHit, rejection } from './collection.ts';

const inMs = (ms: number) => performance.now() + ms;
const silent = () => new Promise<never>(() => {});

describe('untilAvailable', () => {
  test('repeats an attempt while the database is away', async () => {
    let attempts = 0;

    const outcome = await untilAvailable(async () => {
      attempts += 1;
      if (attempts < 3) throw unavailable('away');
      return attempts;
    }, inMs(2_000));

    expect(outcome).toBe(3);
  });

  test('gives up an attempt on a silent database at the deadline', async () => {
    const start = performance.now();

    const refusal = await rejection(untilAvailable(silent, inMs(300)));

    expect(refusal).toMatchObject({ code: 'unavailable' });
    expect(performance.now() - start).toBeGreaterThan(290);
  });

  test('repeats no attempt after another failure', async () => {
    let attempts = 0;
    const fault = new Error('bad data');

    const refusal = await rejection(
      untilAvailable(async () => {
        attempts += 1;
        throw fault;
      }, inMs(2_000)),
    );

    expect([refusal, attempts]).toEqual([fault, 1]);
  });
});

describe('while the database is silent', () => {
  const batch = [aServerHit()];
  const repeatable = { idempotencyKey: 'key', fields: 'fields' };

  test.each(['websites', 'salts'] as const)('hits that need %s are refused at the deadline', async (name) => {
    const { deps } = aCollection();
    const muted = { ...deps, websites: deps.websites, salts: deps.salts, [name]: { find: silent, of: silent } };

    expect(await rejection(collectServerHits(muted, 'account', batch, inMs(100)))).toMatchObject({
      code: 'unavailable',
    });
  });

  test('a batch that would be recognized if it is sent again is refused at the deadline', async () => {
    const { deps } = aCollection();
    const muted = { ...deps, batches: { ...deps.batches, add: silent } };

    const collecting = collectServerHitsOnce(muted, 'account', () => batch, repeatable, inMs(100));

    expect(await rejection(collecting)).toMatchObject({ code: 'unavailable' });
  });

  test('any other batch that is being written waits for the outcome', async () => {
    const { deps } = aCollection();
    const slow = { ...deps, hits: { ...deps.hits, add: () => sleep(300) } };

    expect(await collectServerHits(slow, 'account', batch, inMs(100))).toMatchObject({ counted: 1 });
  });
});
