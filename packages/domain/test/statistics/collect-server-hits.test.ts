import { describe, expect, test } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { collectServerHits } from '../../src/statistics/collecting/collect-server-hits.ts';
import { faultsOf, named } from '../faults.ts';
import { aCollection, aServerHit, inTime, OTHER, OWN, rejection } from './collection.ts';

describe('collectServerHits', () => {
  test('counts all hits of the batch at once, on their days in the time zone', async () => {
    const { collect, added } = aCollection();

    const collected = await collect([
      aServerHit(),
      aServerHit({ url: 'https://other.example/', time: new Date('2026-11-20T22:59:59.999Z') }, OTHER.id),
    ]);

    expect(collected).toEqual({ counted: 2, dropped: [] });
    expect(added).toMatchObject([
      [
        { websiteId: OWN.id, day: '2026-11-21', page: '/a' },
        { websiteId: OTHER.id, day: '2026-11-20', page: '/' },
      ],
    ]);
  });

  test('reports which hits are dropped and why, and adds them up by website, day and reason', async () => {
    const { collect, added, droppedHits } = aCollection();

    const collected = await collect([
      aServerHit({ userAgent: 'Googlebot' }),
      aServerHit({ ip: '203.0.113.7' }),
      aServerHit(),
      aServerHit({ automated: true }),
    ]);

    expect(collected).toEqual({
      counted: 1,
      dropped: [
        { index: 0, reason: 'bot' },
        { index: 1, reason: 'excluded_ip' },
        { index: 3, reason: 'bot' },
      ],
    });
    expect(added).toHaveLength(1);
    expect(droppedHits).toEqual([
      { websiteId: OWN.id, day: '2026-11-21', reason: 'bot', hits: 2 },
      { websiteId: OWN.id, day: '2026-11-21', reason: 'excluded_ip', hits: 1 },
    ]);
  });

  test('a batch of only dropped hits adds no hits', async () => {
    const { collect, added } = aCollection();

    expect(await collect([aServerHit({ automated: true })])).toMatchObject({ counted: 0 });
    expect(added).toEqual([[]]);
  });

  test('the letter case of a website id does not matter', async () => {
    const { collect, added } = aCollection();

    await collect([aServerHit({}, OWN.id.toUpperCase())]);

    expect(added).toMatchObject([[{ websiteId: OWN.id }]]);
  });

  test("a batch with another account's website, or none, is refused as a whole", async () => {
    const { collect, added } = aCollection();
    const batch = [aServerHit(), aServerHit({}, 'nonsense'), aServerHit({}, OTHER.id.replace('2', '9'))];

    const refusal = await rejection(collect(batch));
    const foreign = await rejection(collect([aServerHit()], 'another account'));

    expect(named(faultsOf(() => raise(refusal)))).toEqual([
      'hits.1.website unknown_website',
      'hits.2.website unknown_website',
    ]);
    expect(named(faultsOf(() => raise(foreign)))).toEqual(['hits.0.website unknown_website']);
    expect(added).toEqual([]);
  });

  test('fails if the hits cannot be added, and then counts no drops', async () => {
    const { collect, droppedHits } = aCollection({ add: unavailable('The database is away.') });

    expect(await rejection(collect([aServerHit(), aServerHit({ automated: true })]))).toMatchObject({
      code: 'unavailable',
    });
    expect(droppedHits).toEqual([]);
  });

  test('a commit whose outcome is unknown is repeated under the id of its batch', async () => {
    const { deps } = aCollection();
    const ids: string[] = [];
    const hits = {
      ...deps.hits,
      add: async (batchId: string) => {
        ids.push(batchId);
        if (ids.length < 3) throw unavailable('The connection was lost.');
      },
    };

    const collected = await collectServerHits({ ...deps, hits }, 'account', [aServerHit()], inTime());

    expect(collected).toMatchObject({ counted: 1 });
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
  });

  test('hits wait while the database is away, whatever they need from it', async () => {
    const { deps, added } = aCollection();
    const atSecond = <Args extends unknown[], T>(read: (...args: Args) => T) => {
      let calls = 0;
      return (...args: Args): T => {
        calls += 1;
        if (calls === 1) throw unavailable('The database is away.');
        return read(...args);
      };
    };
    const websites = { find: atSecond(deps.websites.find) };
    const salts = { of: atSecond(deps.salts.of) };

    await collectServerHits({ ...deps, websites, salts }, 'account', [aServerHit()], inTime());

    expect(added).toHaveLength(1);
  });
});

function raise(error: unknown): never {
  throw error;
}
