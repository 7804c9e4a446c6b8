import { setTimeout as sleep } from 'node:timers/promises';
import { UNRECORDED } from '@hitherto/domain/changes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from './support/api.ts';

// api.md, "Authentication": revoked keys and last-used times.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const LIST = '/api/v1/websites';
describe('A revoked key is rejected within one second (a key is cached for at most that long)', () => {
  test('a key that is in use is rejected a second after it was revoked', async () => {
    const { text, id } = await api.issue('other');
    const before = await api.send('GET', LIST, { key: text });
    await api.access.revokeKey(id, api.clock.now(), UNRECORDED);

    await sleep(1000);
    const after = await api.send('GET', LIST, { key: text });

    expect([before.status, after.status]).toEqual([200, 401]);
  });

  test('a lookup that takes longer than a second does not extend this', async () => {
    const reads: (() => void)[] = [];
    const slow = await startApiForTest({
      access: (real) => ({
        ...real,
        findKeyByHash: async (hash) => {
          const key = await real.findKeyByHash(hash);
          if (reads.length < 1) await new Promise<void>((resolve) => reads.push(resolve));
          return key;
        },
      }),
    });
    const { text, id } = await slow.issue('other');
    const first = slow.send('GET', LIST, { key: text });
    await sleep(50);
    await slow.access.revokeKey(id, slow.clock.now(), UNRECORDED);

    await sleep(1000);
    const second = slow.send('GET', LIST, { key: text });
    await sleep(50);
    for (const release of reads) release();

    expect([(await first).status, (await second).status]).toEqual([401, 401]);
  });

  test('an expired key is rejected at once, cached or not', async () => {
    const own = await startApiForTest();
    const { text } = await own.issue('other', { expiresInDays: 1 });
    own.clock.advance(24 * 60 * 60 * 1000 - 1);

    const before = await own.send('GET', LIST, { key: text });
    own.clock.advance(1);
    const after = await own.send('GET', LIST, { key: text });

    expect([before.status, after.status]).toEqual([200, 401]);
  });

  test('concurrent requests with one key share a lookup', async () => {
    let queries = 0;
    const own = await startApiForTest({
      access: (real) => ({
        ...real,
        findKeyByHash: (hash) => {
          queries += 1;
          return real.findKeyByHash(hash);
        },
      }),
    });

    await Promise.all(Array.from({ length: 20 }, () => own.send('GET', LIST)));

    expect(queries).toBe(1);
  });
});

describe('last-used times', () => {
  test('are written in the background for accepted keys, at the latest when the service stops', async () => {
    const own = await startApi();
    const unused = await own.issue('other');
    own.clock.advance(60_000);
    await own.send('GET', LIST, { key: own.readKey });
    await own.send('GET', LIST, { key: `${own.key}x` });

    await own.app.close();

    const mine = await own.access.listKeys(own.accountId);
    const theirs = await own.access.listKeys(unused.accountId);
    expect(mine.map(({ scope, lastUsedAt }) => [scope, lastUsedAt])).toEqual(
      expect.arrayContaining([
        ['write', null],
        ['read', own.clock.now()],
      ]),
    );
    expect(theirs.map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, null]);
  });
});
