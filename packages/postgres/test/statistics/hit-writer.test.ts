import { addWebsite, aQuery, at } from '@hitherto/contracts/statistics/support';
import { newId } from '@hitherto/outside/system';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/connection/database.ts';
import { openPostgres } from '../../src/index.ts';
import { createHitWriter } from '../../src/journal/hit-writer.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {} });
const pool = openDatabase(database.url, 'ingest', { isAway: false, lost: () => {}, seen: () => {} }, () => {});
const write = createHitWriter(pool);

afterAll(async () => {
  await pool.close();
  await ports.close();
  await database.drop();
});

describe('a batch of hits', () => {
  let websiteId: string;
  beforeEach(async () => {
    ({ websiteId } = await addWebsite(ports));
  });

  const numbers = async () => ({
    pageviews: (await ports.statistics.totals(aQuery(websiteId))).pageviews,
    dropped: await ports.droppedHits.byReason(websiteId, '2026-11-01', '2026-11-30'),
  });
  const bots = (hits: number) => [{ websiteId, day: '2026-11-20', reason: 'bot' as const, hits }];

  it('counts once, with its drops, however often it is written', async () => {
    const [batch, drops] = [newId(), newId()];

    for (let time = 0; time < 2; time += 1) {
      await write(batch, [at('12:00', { websiteId })], bots(2));
      await write(drops, [], bots(3));
    }

    expect(await numbers()).toStrictEqual({ pageviews: 1, dropped: [{ reason: 'bot', hits: 5 }] });
  });

  it('counts once even if it is written several times concurrently', async () => {
    const id = newId();

    await Promise.all([1, 2, 3, 4].map(() => write(id, [at('12:00', { websiteId })], bots(1))));

    expect(await numbers()).toStrictEqual({ pageviews: 1, dropped: [{ reason: 'bot', hits: 1 }] });
  });

  it('has the same hits with drops as without', async () => {
    const hits = [
      at('12:00', { websiteId, visitor: 2n ** 64n - 1n, page: 'a\tb\nc\rd\\e \u{1f98a}', props: { 'é "a"': 1.5e21 } }),
      at('12:00', { websiteId, day: '2026-11-19', name: '\u{7f}\u{2028}' }),
    ];
    const elsewhere = [at('12:00', { websiteId: newId() }), at('12:00', { websiteId: 'é' })];
    const [alone, withDrops] = [newId(), newId()];
    const stored = (id: string) =>
      rowsOf(
        database.url,
        `select batch.hits, hit_count, website_numbers, added.website_number, day, added.hits as of_day
         from journal_batch batch join added_hits added on batch_id = id where id = $1 order by day`,
        [id],
      );

    await write(alone, [...elsewhere, ...hits], []);
    await write(withDrops, [...elsewhere, ...hits], bots(1));

    expect(await stored(alone)).toMatchObject([{ of_day: 1 }, { of_day: 1 }]);
    expect(await stored(withDrops)).toStrictEqual(await stored(alone));
  });

  it('notes how many hits each day gets', async () => {
    await run(database.url, 'delete from added_hits');

    await write(newId(), [at('12:00', { websiteId }), at('12:01', { websiteId })], []);

    expect(await rowsOf(database.url, 'select hits from added_hits')).toEqual([{ hits: 2 }]);
  });

  it('counts in addition to batches of other ids', async () => {
    await Promise.all([1, 2, 3, 4].map(() => write(newId(), [at('12:00', { websiteId })], [])));

    expect(await numbers()).toMatchObject({ pageviews: 4 });
  });
});
