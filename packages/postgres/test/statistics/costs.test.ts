import { addHits, addWebsite, aQuery, at, runJob, settle } from '@hitherto/contracts/statistics/support';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openPostgres } from '../../src/index.ts';
import { PART_LIMITS } from '../../src/statistics/part-limits.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {}, parts: { ...PART_LIMITS, lists: 1 } });
let websiteId: string;

beforeAll(async () => {
  ({ websiteId } = await addWebsite(ports));
  await addHits(ports, [hitOf('2026-10-31'), hitOf('2026-11-19')]);
  await settle(ports, '2026-11-20');
  await addHits(ports, [hitOf('2026-11-20')]);
  await runJob(ports, 'hand over hits');
});

afterAll(async () => {
  await ports.close();
  await database.drop();
});

function hitOf(day: string) {
  return at('12:00', { websiteId, day, time: new Date(`${day}T12:00:00.000Z`) });
}

/** Does the work while these tables are locked: reading them would time out. */
async function withoutReading<Result>(tables: string, work: () => Promise<Result>): Promise<Result> {
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query(`begin; lock table ${tables} in access exclusive mode`);
  try {
    return await work();
  } finally {
    await holder.end();
  }
}

describe('what PostgreSQL reads', () => {
  const read = (from: string, to: string) => ports.statistics.overview(aQuery(websiteId, { from, to }), ['page'], 10);

  it('for closed days is only their numbers, no hits', async () => {
    const { days } = await withoutReading('journal_batch, book', () => read('2026-10-01', '2026-11-19'));

    expect(days.map(({ start, visitors }) => [start, visitors])).toEqual([
      ['2026-10-31', 1],
      ['2026-11-19', 1],
    ]);
  });
});

it('a day is read in time though one visitor has 80,000 hits', async () => {
  const { websiteId } = await addWebsite(ports);
  const midnight = Date.parse('2026-11-20T00:00:00.000Z');
  const hits = Array.from({ length: 80_000 }, (_, second) =>
    at('12:00', { websiteId, time: new Date(midnight + second * 1_000), page: `/${second % 60}` }),
  );
  for (let first = 0; first < hits.length; first += 10_000) await addHits(ports, hits.slice(first, first + 10_000));

  // A statement that reads statistics has 8 seconds.
  const first = await ports.statistics.totals(aQuery(websiteId));
  await addHits(ports, hits.slice(40_000, 40_001));
  const again = await ports.statistics.totals(aQuery(websiteId));

  expect(first).toMatchObject({ visitors: 1, visits: 1, pageviews: 80_000 });
  expect(again).toEqual({ ...first, pageviews: 80_001 });
});

it.each([
  ['in the journal', 'journal_batch', 200],
  ['in the book', 'book', 60],
])('a typical hit takes few bytes on disk with its indexes, %s', async (_, table, most) => {
  await run(database.url, 'truncate journal_batch, added_hits, book');
  ({ websiteId } = await addWebsite(ports));
  const [BATCHES, BATCH] = [20, 500];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const hits = Array.from({ length: BATCH }, (_, n) => {
      // Three hits a visitor.
      const visitor = (BigInt(Math.floor((batch * BATCH + n) / 3)) * 0x9e37_79b9_7f4a_7c15n) % 2n ** 64n;
      const typical = { host: 'example.com', page: `/articles/${n}/a-title` };
      const from =
        n % 2 === 0
          ? ({ source: 'Google', referrer: 'google.com', channel: 'Search' } as const)
          : ({ source: null, referrer: null, channel: 'Direct' } as const);
      return { ...hitOf('2026-12-01'), ...typical, ...from, visitor };
    });
    await addHits(ports, hits);
  }
  if (table === 'book') await settle(ports);
  await run(database.url, `vacuum ${table}`);

  const [size] = await rowsOf<{ bytes: number }>(
    database.url,
    `select pg_total_relation_size('${table}')::double precision as bytes`,
  );

  expect((size?.bytes ?? 0) / (BATCHES * BATCH)).toBeLessThanOrEqual(most);
});
