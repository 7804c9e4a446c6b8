import { setTimeout as sleep } from 'node:timers/promises';
import { stageSums } from '@hitherto/contracts/statistics/imports-support';
import { addHits, addWebsite, aQuery, at, runJob, untilDone } from '@hitherto/contracts/statistics/support';
import { NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import { createDatabase, rowsOf, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics, countRows } from '@hitherto/testing/statistics-tables';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPostgres } from '../../src/index.ts';

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

describe('partitions of hits', () => {
  let websiteId: string;

  beforeEach(async () => {
    await clearStatistics(database.url);
    ({ websiteId } = await addWebsite(ports));
  });

  const hitOf = (day: string, time = '12:00', visitor = 1n) =>
    at(time, { websiteId, day, visitor, time: new Date(`${day}T${time}:00.000Z`) });

  it('are created for a month and the two after it, and take over existing rows', async () => {
    await addHits(ports, [hitOf('2030-01-31'), hitOf('2030-02-01')]);

    await runJob(ports, 'prepare partitions', '2029-12-15');

    expect(await partitions('hit')).toStrictEqual(
      expect.arrayContaining(['hit_2029_12', 'hit_2030_01', 'hit_2030_02', 'hit_default']),
    );
    expect(await countRows(database.url, ['hit_2030_01', 'hit_2030_02', 'hit_default'])).toStrictEqual({
      hit_2030_01: 1,
      hit_2030_02: 1,
      hit_default: 0,
    });
  });

  it('have the indexes of their table', async () => {
    await runJob(ports, 'prepare partitions', '2031-01-01');

    const indexes = await rowsOf<{ definition: string }>(
      database.url,
      "select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'hit_2031_01'::regclass order by 1",
    );

    expect(indexes.map(({ definition }) => /USING .*/.exec(definition)?.[0])).toStrictEqual([
      "USING brin (\"time\", day) WITH (pages_per_range='32', autosummarize='on')",
      'USING btree (website_number, day, added_in)',
    ]);
  });

  it('do not hold up hits while a long read delays one that an import needs, and come later', async () => {
    const other = await addWebsite(ports);
    await addHits(ports, [hitOf('2027-01-01')]);
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('begin; select from hit');

    const id = await stageSums(ports, other, []);
    await ports.staging.stage(id, [{ ...hitOf('2033-01-31'), websiteId: other.websiteId }]);
    const importing = ports.staging.publish(id, NO_IMPORT_COUNTS, new Date('2033-02-02'), undefined, undefined);
    const added: number[] = [];
    for (let batch = 0; batch < 10; batch += 1) {
      const start = performance.now();
      await addHits(ports, [hitOf('2027-01-01', '12:00', BigInt(batch))]);
      added.push(performance.now() - start);
      await sleep(50);
    }
    await importing;

    expect(Math.max(...added)).toBeLessThan(900);
    expect(
      await ports.statistics.totals(aQuery(other.websiteId, { from: '2033-01-01', to: '2033-12-31' })),
    ).toMatchObject({ visits: 1 });
    expect(await partitions('hit')).not.toContain('hit_2033_01');
    await reader.end();
    await runJob(ports, 'prepare partitions');
    expect(await partitions('hit')).toContain('hit_2033_01');
  });

  it('are dropped when old hits are deleted and all their days are older', async () => {
    await runJob(ports, 'prepare partitions', '2032-01-01');
    await addHits(ports, [hitOf('2032-01-31'), hitOf('2032-02-01'), hitOf('2032-02-02')]);

    await untilDone(() => ports.maintenance.deleteHitsBefore('2032-02-02'));

    expect(await partitions('hit')).not.toContain('hit_2032_01');
    expect(await countRows(database.url, ['hit', 'hit_2032_02'])).toStrictEqual({ hit: 1, hit_2032_02: 1 });
    expect(await ports.statistics.totals(aQuery(websiteId, { from: '2032-01-01', to: '2032-12-31' }))).toMatchObject({
      visits: 3,
    });
  });
});
