import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@hitherto/domain/base';
import { type HitRepository, MAX_WAIT_MS, type WriteDeadline } from '@hitherto/domain/hits';
import { describe, expect, test } from 'vitest';
import { startApiForTest } from '../support/api.ts';

// tracker.md: "Durability".

/** A journal in which hits wait while the database is away. */
const waitingWhile =
  (isAway: () => boolean) =>
  (real: HitRepository): HitRepository => ({
    ...real,
    async add(...batch) {
      while (isAway()) await sleep(20);
      await real.add(...batch);
    },
  });

const aHit = (website: string) => ({ website, url: 'https://ex.com/a', ip: '192.0.2.1' });

describe('while the database is away', () => {
  test('a batch waits for the database, and so does the lookup of its key', async () => {
    let isAway = false;
    const unless = <T>(work: () => Promise<T>) => (isAway ? Promise.reject(unavailable('away')) : work());
    const own = await startApiForTest({
      access: (real) => ({ ...real, findKeyByHash: (hash) => unless(() => real.findKeyByHash(hash)) }),
      hits: waitingWhile(() => isAway),
    });
    const website = await own.createWebsite({ url: 'https://ex.com' });
    await sleep(900);
    isAway = true;

    const waiting = own.send('POST', '/api/v1/hits', { json: { hits: [aHit(website.id)] } });
    await sleep(600);
    isAway = false;

    expect((await waiting).status).toBe(202);
  });

  test('at most 20,000 hits wait, whatever was rejected before', async () => {
    let isAway = true;
    const own = await startApiForTest({
      hits: waitingWhile(() => isAway),
    });
    const website = await own.createWebsite({ url: 'https://ex.com' });
    const send = (hits: unknown) => own.send('POST', '/api/v1/hits', { json: { hits } });
    await send({ length: 'x' });
    await send({ length: '9' });

    const batch = Array.from({ length: 500 }, () => aHit(website.id));
    const waiting = Array.from({ length: 40 }, () => send(batch));
    const beyond = await send([aHit(website.id)]);
    isAway = false;
    const responses = await Promise.all(waiting);

    expect([beyond.status, beyond.header('retry-after')]).toEqual([503, '1']);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
  });

  test('a batch waits 10 s for the database, then for the outcome, and gets 503 with Retry-After', async () => {
    let given: WriteDeadline | undefined;
    const away = await startApiForTest({
      hits: (real) => ({
        ...real,
        add: (_hits, _dropped, until) => {
          given = until;
          return Promise.reject(unavailable('The database is away.'));
        },
      }),
    });
    const website = await away.createWebsite({ url: 'https://ex.com' });
    const start = performance.now();

    const response = await away.send('POST', '/api/v1/hits', { json: { hits: [aHit(website.id)] } });

    expect([response.status, response.header('retry-after')]).toEqual([503, '1']);
    expect(given?.untilCertain).toBe(true);
    expect(Math.abs((given?.deadline ?? 0) - start - MAX_WAIT_MS)).toBeLessThan(2_000);
  });
});
