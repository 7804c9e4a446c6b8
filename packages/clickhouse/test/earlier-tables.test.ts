import { addHits, addWebsite, all, aQuery, at } from '@hitherto/contracts/statistics/support';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe, expect, it } from 'vitest';
import { openDatabases } from './databases.ts';

describe.skipIf(skipsClickHouse)('tables in ClickHouse of an earlier version', () => {
  it('get the columns that they lack, in which earlier hits have no value', async () => {
    const { run, postgres, openEngine } = await openDatabases();
    const earlier = { ...postgres, ...openEngine() };
    await earlier.prepare();
    const { websiteId } = await addWebsite(earlier);
    await addHits(earlier, [
      at('12:00', { websiteId, visitor: 1n }),
      at('12:01', { websiteId, visitor: 1n, page: '/b' }),
    ]);
    await run('alter table hit drop column network');
    await run('alter table visitor_day drop column `visit.network`');

    const later = { ...postgres, ...openEngine() };
    await later.prepare();
    await addHits(later, [at('12:00', { websiteId, visitor: 2n, network: 'hosting' })]);

    const visitsIn = async (value: string | null) =>
      (await later.statistics.totals(aQuery(websiteId, { filters: all({ dimension: 'network', value }) }))).visits;
    expect([await visitsIn('hosting'), await visitsIn(null)]).toEqual([1, 1]);
    expect((await later.statistics.values(aQuery(websiteId), 'network', 5)).rows).toMatchObject([
      { value: 'hosting', visits: 1, pageviews: 1 },
      { value: null, visits: 1, pageviews: 2 },
    ]);
  });
});
