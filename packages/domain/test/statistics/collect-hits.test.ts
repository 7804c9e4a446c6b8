import { describe, expect, test } from 'vitest';
import { unavailable } from '../../src/base/errors.ts';
import { collectHit, collectHits, findSettings, UnknownWebsites } from '../../src/hits/collect-hits.ts';
import type { WriteDeadline } from '../../src/hits/hit-repository.ts';
import { aCollection, aSentHit, inTime, OPEN, OTHER, OWN, rejection } from './collection.ts';
import type { HitFields } from './hits.ts';

describe('collectHits', () => {
  test('counts all hits of the batch at once, on the days of their websites', async () => {
    const { collect, added } = aCollection();

    const collected = await collect([
      aSentHit(),
      aSentHit({ time: new Date('2026-11-20T22:59:59.999Z') }),
      aSentHit({ url: 'https://other.example/', time: new Date('2026-11-21T04:59:59.999Z') }, OTHER.id),
    ]);

    expect(collected).toEqual({ counted: 3, dropped: [] });
    expect(added).toMatchObject([
      [
        { websiteId: OWN.id, day: '2026-11-21', page: '/a', visitor: 20261121n },
        { websiteId: OWN.id, day: '2026-11-20', page: '/a', visitor: 20261120n },
        { websiteId: OTHER.id, day: '2026-11-20', page: '/', visitor: 20261120n },
      ],
    ]);
  });

  test('stores neither the address nor the user agent', async () => {
    const { collect, added } = aCollection();

    await collect([aSentHit({ ip: '192.0.2.1', userAgent: 'Mozilla/5.0 Firefox/150.0' })]);

    const stored = JSON.stringify(added, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(stored).toContain('Firefox');
    expect(stored).not.toMatch(/192\.0|Mozilla/);
  });

  test('sums up the pages that bots ask for, whether the website excludes bots or not', async () => {
    const { collect, crawled, added } = aCollection();
    const ofBot = { userAgent: 'Examplebot', url: 'https://ex.com/a?utm_source=x&page=2' };

    await collect([
      aSentHit(ofBot),
      aSentHit({ userAgent: 'Firefox', automated: true }),
      aSentHit({ userAgent: undefined, sender: 'browser' }),
      aSentHit({ ...ofBot, url: 'https://open.example/' }, OPEN.id),
      aSentHit({ ...ofBot, ip: '203.0.113.7' }),
      aSentHit({ ...ofBot, url: 'https://elsewhere.example/' }),
      aSentHit({ ...ofBot, prefetch: true }),
      aSentHit({ userAgent: 'Firefox' }),
    ]);

    const row = { websiteId: OWN.id, day: '2026-11-21', page: '/a', purpose: 'other', hits: 1, hits4xx: 0 };
    expect(crawled).toEqual([
      { ...row, page: '/a?page=2', operator: 'Examplebot', purpose: 'search' },
      { ...row, operator: '(automated browser)' },
      { ...row, operator: '(no user agent)' },
      { ...row, websiteId: OPEN.id, page: '/', operator: 'Examplebot', purpose: 'search' },
    ]);
    expect(added.flat()).toHaveLength(2);
  });

  test('sums up no bots of a batch that is not stored', async () => {
    const { collect, crawled } = aCollection({ add: unavailable('away') });

    await rejection(collect([aSentHit({ userAgent: 'Examplebot' }), aSentHit()]));

    expect(crawled).toEqual([]);
  });

  test('reports which hits are dropped and why, and stores that with those that count', async () => {
    const { collect, added, droppedHits, lateDrops } = aCollection();

    const collected = await collect([
      aSentHit({ userAgent: 'Googlebot' }),
      aSentHit({ ip: '203.0.113.7' }),
      aSentHit(),
      aSentHit({ automated: true }, OTHER.id),
    ]);

    expect(collected).toEqual({
      counted: 1,
      dropped: [
        { index: 0, reason: 'bot' },
        { index: 1, reason: 'excluded_ip' },
        { index: 3, reason: 'foreign_host' },
      ],
    });
    expect(added).toHaveLength(1);
    expect(droppedHits).toEqual([
      { websiteId: OWN.id, day: '2026-11-21', reason: 'bot', hits: 1 },
      { websiteId: OWN.id, day: '2026-11-21', reason: 'excluded_ip', hits: 1 },
      { websiteId: OTHER.id, day: '2026-11-20', reason: 'foreign_host', hits: 1 },
    ]);
    expect(lateDrops).toEqual([]);
  });

  test('waits for no commit if no hit counts', async () => {
    const { collect, added, lateDrops } = aCollection({ add: unavailable('The database is away.') });

    expect(await collect([aSentHit({ automated: true })])).toMatchObject({ counted: 0 });
    expect(added).toEqual([]);
    expect(lateDrops).toMatchObject([{ reason: 'bot', hits: 1 }]);
  });

  test('finds the settings of a website once a batch', async () => {
    const { find } = aCollection();
    const found: string[] = [];
    const finding = (website: string) => {
      found.push(website);
      return find(website);
    };

    const hits = await findSettings(finding, [aSentHit(), aSentHit(), aSentHit({}, OTHER.id)], inTime());

    expect(found).toEqual([OWN.id, OTHER.id]);
    expect(hits.map(({ website }) => website.websiteId)).toEqual([OWN.id, OWN.id, OTHER.id]);
  });

  test('rejects a batch with unknown websites as a whole, and says where they are', async () => {
    const { collect, added } = aCollection();

    const refusal = await rejection(collect([aSentHit(), aSentHit({}, 'nonsense'), aSentHit(), aSentHit({}, 'none')]));

    expect(refusal).toBeInstanceOf(UnknownWebsites);
    expect(refusal).toMatchObject({ code: 'not_found', positions: [1, 3] });
    expect(added).toEqual([]);
  });

  test('names at most 100 unknown websites, and looks for no more', async () => {
    let found = 0;
    const finding = () => {
      found += 1;
      return undefined;
    };
    const batch = Array.from({ length: 200 }, (_, n) => aSentHit({}, `unknown ${n}`));

    const refusal = await rejection(findSettings(finding, batch, inTime()));

    expect(refusal).toMatchObject({ positions: Array.from({ length: 100 }, (_, n) => n) });
    expect(found).toBe(100);
  });

  test('fails if the hits cannot be added, and then counts no drops', async () => {
    const { collect, droppedHits, lateDrops } = aCollection({ add: unavailable('The database is away.') });

    expect(await rejection(collect([aSentHit(), aSentHit({ automated: true })]))).toMatchObject({
      code: 'unavailable',
    });
    expect([droppedHits, lateDrops]).toEqual([[], []]);
  });

  test('lets the journal wait as long as it was told to', async () => {
    const { deps, find } = aCollection();
    const until = { deadline: inTime(), untilCertain: true };
    let given: WriteDeadline | undefined;
    const add = async (...[, , waiting]: readonly [unknown, unknown, WriteDeadline?]) => {
      given = waiting;
    };

    await collectHits(
      { ...deps, hits: { ...deps.hits, add } },
      await findSettings(find, [aSentHit()], inTime()),
      until,
    );

    expect(given).toBe(until);
  });

  test('waits while the database is away, for settings and visitors', async () => {
    const { deps, find, added } = aCollection();
    const atSecond = <Args extends unknown[], T>(read: (...args: Args) => T) => {
      let calls = 0;
      return (...args: Args): T => {
        calls += 1;
        if (calls === 1) throw unavailable('The database is away.');
        return read(...args);
      };
    };
    const visitors = { of: atSecond(deps.visitors.of) };

    const hits = await findSettings(atSecond(find), [aSentHit()], inTime());
    await collectHits({ ...deps, visitors }, hits, { deadline: inTime(), untilCertain: true });

    expect(added).toHaveLength(1);
  });
});

describe('collectHit', () => {
  const until = () => ({ deadline: inTime(), untilCertain: false });
  const one = async (fields: HitFields) => {
    const collection = aCollection();
    const [hit] = await findSettings(collection.find, [aSentHit(fields)], inTime());
    if (hit === undefined) throw new Error('The website is unknown.');
    return { ...collection, reason: await collectHit(collection.deps, hit, until()) };
  };

  test('stores a hit that counts', async () => {
    const { reason, added, lateDrops, crawled } = await one({});

    expect(reason).toBeUndefined();
    expect(added).toMatchObject([[{ websiteId: OWN.id, day: '2026-11-21', page: '/a', visitor: 20261121n }]]);
    expect([lateDrops, crawled]).toEqual([[], []]);
  });

  test('says why it drops a hit, counts that, and sums up the page of a crawler', async () => {
    const { reason, added, lateDrops, crawled } = await one({ userAgent: 'Examplebot' });

    expect(reason).toBe('bot');
    expect(added).toEqual([]);
    expect(lateDrops).toEqual([{ websiteId: OWN.id, day: '2026-11-21', reason: 'bot', hits: 1 }]);
    expect(crawled).toMatchObject([{ operator: 'Examplebot', page: '/a', hits: 1 }]);
  });
});
