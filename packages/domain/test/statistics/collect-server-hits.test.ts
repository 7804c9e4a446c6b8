import { describe, expect, test } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { collectServerHits, collectServerHitsOnce, type ServerHit } from '../../src/statistics/collect-server-hits.ts';
import type { CountedHit, Hit } from '../../src/statistics/hit.ts';
import type { HitBatchRecord } from '../../src/statistics/hit-batch.ts';
import type { DroppedHits } from '../../src/statistics/hit-repository.ts';
import { timeZone } from '../../src/statistics/time-zone.ts';
import { aWebsite, sequentialIds } from '../../src/testing.ts';
import { faultsOf, named } from '../faults.ts';
import { lookups } from './lookups.ts';

const OWN = aWebsite({ url: 'https://ex.com', excludedIps: ['203.0.113.7'] });
const OTHER = aWebsite({ id: '01997c3e-0000-7000-8000-000000000002', url: 'https://other.example' });

function aServerHit(hit: Partial<Hit> = {}, website = OWN.id): ServerHit {
  const time = new Date('2026-11-20T23:30:00.000Z');
  return { website, hit: { url: 'https://ex.com/a', ip: '192.0.2.1', time, sender: 'server', ...hit } };
}

/** A deadline that leaves time for a few attempts. */
const inTime = () => performance.now() + 900;

/** The account of the two websites, and what is written. */
function aCollection(fails: { add?: Error } = {}) {
  const added: CountedHit[][] = [];
  const droppedHits: DroppedHits[] = [];
  const records = new Map<string, HitBatchRecord>();
  const deps = {
    websites: {
      find: async (accountId: string, id: string) =>
        accountId === 'account' ? [OWN, OTHER].find((website) => website.id === id) : undefined,
    },
    hits: {
      add: async (_batchId: string, hits: readonly CountedHit[], dropped: readonly DroppedHits[] = []) => {
        if (fails.add) throw fails.add;
        added.push([...hits]);
        droppedHits.push(...dropped);
      },
    },
    batches: {
      find: async (keyHash: string) => records.get(keyHash),
      add: async (record: HitBatchRecord, hits: readonly CountedHit[], dropped: readonly DroppedHits[]) => {
        const earlier = records.get(record.keyHash);
        if (earlier !== undefined) return earlier;
        records.set(record.keyHash, record);
        added.push([...hits]);
        droppedHits.push(...dropped);
        return undefined;
      },
    },
    salts: { of: (day: string) => Buffer.alloc(32, day) },
    lookups,
    timeZone: timeZone('Europe/Berlin'),
    newId: sequentialIds(),
    now: () => new Date('2026-11-20T23:30:00.000Z'),
  };
  const collectOnce = (batch: readonly ServerHit[], idempotencyKey = 'key', fields = 'fields', account = 'account') =>
    collectServerHitsOnce(deps, account, () => batch, { idempotencyKey, fields }, inTime());
  const collect = (batch: readonly ServerHit[], account = 'account') =>
    collectServerHits(deps, account, batch, inTime());
  return { deps, collect, collectOnce, added, droppedHits, records };
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

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

  test('tells which hits are dropped and why, and adds them up by website, day and reason', async () => {
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

  test('a batch of dropped hits alone adds none', async () => {
    const { collect, added } = aCollection();

    expect(await collect([aServerHit({ automated: true })])).toMatchObject({ counted: 0 });
    expect(added).toEqual([[]]);
  });

  test('the letter case of a website does not matter', async () => {
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

  test('rejects where the hits cannot be added, and adds no drops then', async () => {
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

  test('hits wait for a database that is away, whatever they need of it', async () => {
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

describe('collectServerHitsOnce', () => {
  const batch = [aServerHit(), aServerHit({ automated: true })];
  const outcome = { counted: 1, dropped: [{ index: 1, reason: 'bot' }] };

  test('counts a batch once; a repeat tells what became of it first', async () => {
    const { collectOnce, added, droppedHits } = aCollection();

    const first = await collectOnce(batch);
    const repeat = await collectOnce(batch);

    expect(first).toEqual({ collected: outcome, replayed: false });
    expect(repeat).toEqual({ collected: outcome, replayed: true });
    expect(added).toHaveLength(1);
    expect(droppedHits).toMatchObject([{ hits: 1 }]);
  });

  test('of two at once one counts', async () => {
    const { collectOnce, added, droppedHits } = aCollection();

    const both = await Promise.all([collectOnce(batch), collectOnce(batch)]);

    expect(both.map(({ replayed }) => replayed).toSorted()).toEqual([false, true]);
    expect(added).toHaveLength(1);
    expect(droppedHits).toHaveLength(1);
  });

  test('a batch of dropped hits alone is remembered, too', async () => {
    const { collectOnce, droppedHits } = aCollection();

    await collectOnce([aServerHit({ automated: true })]);

    expect(await collectOnce([aServerHit({ automated: true })])).toMatchObject({ replayed: true });
    expect(droppedHits).toHaveLength(1);
  });

  test('a repeat is not judged again', async () => {
    const { deps, collectOnce } = aCollection();
    await collectOnce(batch);

    const repeat = await collectServerHitsOnce(
      deps,
      'account',
      () => raise(new Error('too old')),
      { idempotencyKey: 'key', fields: 'fields' },
      inTime(),
    );

    expect(repeat).toEqual({ collected: outcome, replayed: true });
  });

  test('other hits under the same key are refused', async () => {
    const { collectOnce, added } = aCollection();
    await collectOnce(batch);

    expect(await rejection(collectOnce(batch, 'key', 'other fields'))).toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(added).toHaveLength(1);
  });

  test('another key counts again', async () => {
    const { collectOnce, added } = aCollection();

    await collectOnce(batch, 'key');
    await collectOnce(batch, 'other key');

    expect(added).toHaveLength(2);
  });

  test('a record is good for 48 hours and holds neither the key nor the fields', async () => {
    const { collectOnce, records } = aCollection();

    await collectOnce(batch, 'the-key', 'the fields');

    const [record] = records.values();
    expect(record?.expiresAt).toEqual(new Date('2026-11-22T23:30:00.000Z'));
    expect(JSON.stringify(record)).not.toMatch(/the-key|the fields/);
  });
});

function raise(error: unknown): never {
  throw error;
}
