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

  it('stores the same rows with drops, which take a COPY, as without', async () => {
    const strings = [
      'é "a", {b}',
      '\\N',
      'NULL',
      'a\tb\nc\rd\\e',
      '\b\f\v\u{1}\u{7f}\u{2028}\\u0041',
      '\\"',
      ' ',
      "'",
      '\u{1f98a}',
    ];
    const hits = strings.map((text, n) =>
      at('12:00', {
        websiteId,
        visitor: 2n ** 64n - BigInt(n),
        page: text,
        source: text,
        name: n % 2 === 0 ? text : null,
        props: n % 2 === 0 ? { [text]: text, b: 1.5e21, c: true } : null,
      }),
    );
    const elsewhere = [at('12:00', { websiteId: newId() }), at('12:00', { websiteId: 'é' })];
    const stored = () =>
      rowsOf(database.url, "select to_jsonb(hit) - 'added_in' as hit from hit order by visitor, page");
    const noted = () => rowsOf(database.url, 'select day, hits from added_hits');
    await run(database.url, 'delete from hit; delete from added_hits');

    await write(newId(), [...elsewhere, ...hits], []);
    const alone = [await stored(), await noted()];
    await run(database.url, 'delete from hit; delete from added_hits');
    await write(newId(), [...elsewhere, ...hits], bots(1));

    expect(alone[0]).toHaveLength(hits.length);
    expect(alone[1]).toMatchObject([{ hits: hits.length }]);
    expect([await stored(), await noted()]).toStrictEqual(alone);
  });

  it('notes how many hits each day gets', async () => {
    await run(database.url, 'delete from hit; delete from added_hits');

    await write(newId(), [at('12:00', { websiteId }), at('12:01', { websiteId })], []);

    expect(await rowsOf(database.url, 'select hits from added_hits')).toEqual([{ hits: 2 }]);
  });

  it('counts in addition to batches of other ids', async () => {
    await Promise.all([1, 2, 3, 4].map(() => write(newId(), [at('12:00', { websiteId })], [])));

    expect(await numbers()).toMatchObject({ pageviews: 4 });
  });
});
