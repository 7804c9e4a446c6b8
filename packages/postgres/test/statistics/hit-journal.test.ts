import { aSum, importSums } from '@hitherto/contracts/statistics/imports-support';
import { addHits, addWebsite, aQuery, at } from '@hitherto/contracts/statistics/support';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { WrittenHit } from '@hitherto/domain/engine';
import { readFields } from '@hitherto/domain/engine';
import { newId } from '@hitherto/outside/system';
import { createDatabase, rowsOf, run, TEMPLATE, type TestDatabase } from '@hitherto/testing/databases';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/connection/database.ts';
import { openPostgres } from '../../src/index.ts';
import { createHitWriter } from '../../src/journal/hit-writer.ts';

let database: TestDatabase;
let ports: ReturnType<typeof openPostgres>;
let accountId: string;
let websiteId: string;

beforeEach(async () => {
  database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  ports = openPostgres({ connection: database.url, log: () => {} });
  await ports.useEngine('outside');
  ({ accountId, websiteId } = await addWebsite(ports));
});
afterEach(async () => {
  await ports.close();
  await database.drop();
});

/** The hits that are handed over, with their fields. */
async function handOver() {
  const taken: WrittenHit[] = [];
  await ports.journal.handOver(1_000, async (hits) => void taken.push(...hits));
  return taken.map(({ fields, ...hit }) => ({ ...hit, ...readFields(fields) }));
}

describe('a hand-over of the journal', () => {
  it('leaves hits that arrive meanwhile for the next one, which is not due at once', async () => {
    await addHits(ports, [at('12:00', { websiteId })]);
    const taken: number[] = [];

    const isFull = await ports.journal.handOver(10, async (hits) => {
      taken.push(hits.length);
      await addHits(ports, [at('12:01', { websiteId })]);
    });

    expect(taken).toEqual([1]);
    expect(isFull).toBe(false);
    expect(await ports.journal.backlog()).toMatchObject({ hits: 1 });
  });

  it('is followed by another one at once if it was full', async () => {
    await addHits(ports, [at('12:00', { websiteId })]);
    await addHits(ports, [at('12:01', { websiteId })]);
    const handOver = () => ports.journal.handOver(1, async () => {});

    expect([await handOver(), await handOver(), await handOver()]).toEqual([true, true, false]);
  });

  it('has each hit with its website, its place and its fields', async () => {
    const { websiteId: other } = await addWebsite(ports);
    const hits = [
      at('12:00', {
        websiteId,
        visitor: 2n ** 64n - 1n,
        page: 'é "a" \\\n\t\u2028 \u{1f98a} {',
        props: { 'a"': 1.5e21 },
      }),
      at('12:01', { websiteId: other, day: '2026-11-19', source: '1 2026-11-20 {' }),
      at('12:02', { websiteId, name: 'sign-up', country: null }),
    ];

    await addHits(ports, hits);

    const numbers = await rowsOf<{ id: string; number: string }>(database.url, 'select id, number from website');
    const numberOf = new Map(numbers.map(({ id, number }) => [id, BigInt(number)]));
    expect(await handOver()).toEqual(
      hits.map(({ websiteId: id, ...hit }, place) => ({
        ...hit,
        props: hit.props && { 'a"': '1.5e+21' },
        website: numberOf.get(id),
        batch: 1n,
        place,
      })),
    );
  });

  it('leaves out hits of websites that are deleted, before or after their hits were acknowledged', async () => {
    const { accountId: owner, websiteId: later } = await addWebsite(ports);
    await ports.websites.delete(accountId, websiteId, undefined, UNRECORDED);
    await addHits(ports, [
      at('12:00', { websiteId }),
      at('12:01', { websiteId: later }),
      at('12:02', { websiteId: newId() }),
    ]);
    await addHits(ports, [at('12:03', { websiteId: later })]);

    const before = await handOver();
    await run(database.url, 'update journal_batch set is_waiting = true');
    await ports.websites.delete(owner, later, undefined, UNRECORDED);

    expect(before).toMatchObject([{ place: 1 }, { place: 0 }]);
    expect(await handOver()).toEqual([]);
  });
});

describe('the first start with an engine outside', () => {
  beforeEach(() => run(database.url, 'update statistics_engine set is_outside = false'));

  it('gives it the statistics of an empty database', async () => {
    expect(await ports.useEngine('outside')).toBe(true);
  });

  it('is rejected if the database has sums of imports', async () => {
    await importSums(ports, { accountId, websiteId }, [
      aSum('2026-11-20', 'total', null, { visitors: 1, pageviews: 2 }),
    ]);

    expect(await ports.useEngine('outside')).toBe(false);
    expect(await ports.statistics.totals(aQuery(websiteId))).toMatchObject({ pageviews: 2 });
  });
});

describe('a batch for an engine outside', () => {
  const bots = (hits: number) => [{ websiteId, day: '2026-11-20', reason: 'bot' as const, hits }];
  let write: ReturnType<typeof createHitWriter>;
  let close: () => Promise<void>;
  beforeEach(() => {
    const pool = openDatabase(database.url, 'ingest', { isAway: false, lost: () => {}, seen: () => {} }, () => {});
    close = pool.close;
    write = createHitWriter(pool);
  });
  afterEach(() => close());

  it('is journalled once, with drops or without, however often it is written', async () => {
    const [alone, withDrops] = [newId(), newId()];

    for (let time = 0; time < 3; time += 1) {
      await write(alone, [at('12:00', { websiteId })], []);
      await write(withDrops, [at('12:01', { websiteId })], bots(2));
    }

    expect(await handOver()).toMatchObject([{ time: at('12:00').time }, { time: at('12:01').time }]);
    expect(await ports.droppedHits.byReason(websiteId, '2026-11-20', '2026-11-20')).toEqual([
      { reason: 'bot', hits: 2 },
    ]);
  });

  it('does not wait for the engine in this database', async () => {
    await write(newId(), [at('12:00', { websiteId })], []);
    await write(newId(), [at('12:00', { websiteId })], bots(1));

    expect(await rowsOf(database.url, 'select from added_hits')).toEqual([]);
  });

  it('goes to the engine that has the statistics when it is written', async () => {
    const give = (isOutside: boolean) => run(database.url, `update statistics_engine set is_outside = ${isOutside}`);

    await write(newId(), [at('12:00', { websiteId })], []);
    await give(false);
    await write(newId(), [at('12:01', { websiteId })], []);
    await give(true);
    await write(newId(), [at('12:02', { websiteId })], []);

    expect(await handOver()).toMatchObject([{ time: at('12:00').time }, { time: at('12:02').time }]);
    expect(await rowsOf(database.url, 'select hits from added_hits')).toEqual([{ hits: 1 }]);
  });
});
