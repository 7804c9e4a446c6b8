import { DIMENSIONS } from '@hitherto/domain';
import { skipsClickHouse, startClickHouse } from '@hitherto/testing/clickhouse';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { openClickHouse } from '../../src/clickhouse/index.ts';
import { VISIT_COLUMNS, visitColumn } from '../../src/clickhouse/tables/tables.ts';
import { openPostgres } from '../../src/postgres/index.ts';
import { addHits, addWebsite, aQuery, at } from './support.ts';

describe.skipIf(skipsClickHouse)('tables of an earlier version of ClickHouse', async () => {
  const server = skipsClickHouse ? undefined : await startClickHouse({ threads: 1 });
  afterAll(() => server?.close());

  it('keep their visits, next to those that are made since', async () => {
    const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
    const postgres = openPostgres({ connection: database.url, log: () => {} });
    await postgres.useEngine('outside');
    const open = () => openClickHouse({ url: server?.url ?? '', journal: postgres.journal });
    const before = open();
    const { websiteId } = await addWebsite(postgres);
    await addHits(postgres, [
      at('09:00', { websiteId, visitor: 1n, page: '/a', os: 'Linux' }),
      at('09:01', { websiteId, visitor: 1n, name: 'Signup', props: { plan: 'pro' } }),
      at('12:00', { websiteId, visitor: 1n, page: '/b', os: 'Linux' }),
      at('12:00', { websiteId, visitor: 2n, page: '/a', os: null }),
    ]);
    const read = ({ statistics }: typeof before) => statistics.overview(aQuery(websiteId), DIMENSIONS, 10);
    const expected = await read(before);
    await before.close();
    const names = Object.keys(VISIT_COLUMNS).map((name) => `${visitColumn(name)} as visit_${name}`);
    await server?.query(`create table earlier engine = ReplacingMergeTree(version) partition by toYYYYMM(day)
      order by (website, day, visitor)
      as select website, day, visitor, version, hits, import, ${names.join(', ')} from visitor_day final`);
    await server?.query('drop table visitor_day sync');
    await server?.query('rename table earlier to visitor_day');

    const after = open();
    const kept = await read(after);
    await addHits(postgres, [at('12:00', { websiteId, visitor: 3n, page: '/c', os: 'Linux' })]);
    const added = await read(after);
    await server?.query('optimize table visitor_day final');
    const merged = await read(after);

    expect(kept).toStrictEqual(expected);
    expect(added.days.map(({ visitors, visits }) => ({ visitors, visits }))).toEqual([{ visitors: 3, visits: 4 }]);
    expect(added.values.get('os')?.rows).toEqual([
      expect.objectContaining({ value: 'Linux', visitors: 2 }),
      expect.objectContaining({ value: null, visitors: 1 }),
    ]);
    expect(merged).toStrictEqual(added);
    await after.close();
    await postgres.close();
    await database.drop();
  });
});
