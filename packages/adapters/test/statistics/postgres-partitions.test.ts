import { createDatabase, rowsOf, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPostgres } from '../../src/postgres/index.ts';
import { addHits, addWebsite, aQuery, at, runJob, untilDone } from './support.ts';
import { clearStatistics, countRows } from './tables.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {} });

afterAll(async () => {
  await ports.close();
  await database.drop();
});

async function partitions(table: string): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(
    database.url,
    'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
    [table],
  );
  return rows.map(({ name }) => name);
}

describe('partitions of hits and visits', () => {
  let websiteId: string;

  beforeEach(async () => {
    await clearStatistics(database.url);
    ({ websiteId } = await addWebsite(ports));
  });

  const hitOf = (day: string, time = '12:00', visitor = 1n) =>
    at(time, { websiteId, day, visitor, time: new Date(`${day}T${time}:00.000Z`) });

  it('are created for a month and the two after it, and take over existing rows', async () => {
    await addHits(ports, [hitOf('2030-01-31'), hitOf('2030-02-01')]);
    await runJob(ports, 'update visits');

    await runJob(ports, 'prepare partitions', '2029-12-15');

    expect(await partitions('hit')).toStrictEqual(
      expect.arrayContaining(['hit_2029_12', 'hit_2030_01', 'hit_2030_02', 'hit_default']),
    );
    expect(await countRows(database.url, ['hit_2030_01', 'hit_2030_02', 'hit_default', 'visit_2030_01'])).toStrictEqual(
      {
        hit_2030_01: 1,
        hit_2030_02: 1,
        hit_default: 0,
        visit_2030_01: 1,
      },
    );
  });

  it('have the indexes of their table', async () => {
    await runJob(ports, 'prepare partitions', '2031-01-01');

    const indexes = await rowsOf<{ definition: string }>(
      database.url,
      "select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'hit_2031_01'::regclass order by 1",
    );

    expect(indexes.map(({ definition }) => /USING .*/.exec(definition)?.[0])).toStrictEqual([
      "USING brin (\"time\", day) WITH (pages_per_range='32', autosummarize='on')",
      'USING btree (website_number, day, visitor)',
    ]);
  });

  it('are dropped when old hits are deleted and all their days are older', async () => {
    await runJob(ports, 'prepare partitions', '2032-01-01');
    await addHits(ports, [hitOf('2032-01-31'), hitOf('2032-02-01'), hitOf('2032-02-02')]);

    await untilDone(() => ports.maintenance.deleteHitsBefore('2032-02-02'));

    expect(await partitions('hit')).not.toContain('hit_2032_01');
    expect(await partitions('visit')).not.toContain('visit_2032_01');
    expect(await countRows(database.url, ['hit', 'visit', 'hit_2032_02'])).toStrictEqual({
      hit: 1,
      visit: 1,
      hit_2032_02: 1,
    });
    expect(await ports.statistics.totals(aQuery(websiteId, { from: '2032-01-01', to: '2032-12-31' }))).toMatchObject({
      visits: 3,
    });
  });
});
