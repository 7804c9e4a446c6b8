import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { unavailable } from '../../src/base/errors.ts';
import { untilAvailable } from '../../src/base/outage.ts';
import { collectHits, collectHitsOnce, findSettings } from '../../src/hits/collect-hits.ts';
import { createWaitingHits, MAX_WAIT_MS, MAX_WAITING_HITS } from '../../src/hits/waiting-hits.ts';
import { aCollection, aSentHit, rejection } from './collection.ts';

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

  test('waits for ever without a deadline', async () => {
    expect(await untilAvailable(() => sleep(50, 'late'), Number.POSITIVE_INFINITY)).toBe('late');
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
  const batch = [aSentHit()];
  const repeatable = { idempotencyKey: 'key', fields: 'fields' };

  test.each(['settings', 'visitors'] as const)('hits that need %s are rejected at the deadline', async (name) => {
    const { deps, find } = aCollection();
    const visitors = name === 'visitors' ? { of: silent } : deps.visitors;
    const finding = name === 'settings' ? silent : find;

    const until = { deadline: inMs(100), untilCertain: true };
    const collecting = findSettings(finding, batch, until.deadline).then((hits) =>
      collectHits({ ...deps, visitors }, hits, until),
    );

    expect(await rejection(collecting)).toMatchObject({ code: 'unavailable' });
  });

  test('a batch that would be recognized if it is sent again is rejected at the deadline', async () => {
    const { deps, find } = aCollection();
    const muted = { ...deps, batches: { ...deps.batches, add: silent } };

    const collecting = collectHitsOnce(muted, find, 'account', () => batch, repeatable, inMs(100));

    expect(await rejection(collecting)).toMatchObject({ code: 'unavailable' });
  });
});

describe('waiting hits', () => {
  test('are counted from their arrival to their outcome, whatever it is', async () => {
    const waiting = createWaitingHits();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });

    const works = [
      waiting.admit(2, () => gate, 500),
      rejection(waiting.admit(1, () => gate.then(() => Promise.reject(unavailable('away'))))),
    ];
    await sleep(20);
    const during = [waiting.count(), waiting.longest()] as const;
    open();
    await Promise.all(works);

    expect(during[0]).toBe(3);
    expect(during[1]).toBeGreaterThan(0.5);
    expect([waiting.count(), waiting.longest()]).toEqual([0, 0]);
  });

  test('wait 10 s from their arrival', async () => {
    const waiting = createWaitingHits();
    const start = performance.now();

    const deadline = await waiting.admit(1, async (given) => given, 400);

    expect(Math.abs(deadline - (start - 400 + MAX_WAIT_MS))).toBeLessThan(100);
  });

  test('are at most 20,000', async () => {
    const waiting = createWaitingHits();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const admitted = waiting.admit(MAX_WAITING_HITS - 1, () => gate);

    const refusal = await rejection(waiting.admit(2, async () => {}));
    await waiting.admit(1, async () => {});
    open();
    await admitted;

    expect(refusal).toMatchObject({ name: 'DomainError', code: 'unavailable' });
  });
});
