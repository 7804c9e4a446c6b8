import { NO_IMPORT_COUNTS } from '@hitherto/domain';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe, expect, it } from 'vitest';
import { useDatabases } from './clickhouse-databases.ts';
import { aSum, beginImport, NOW, someHits } from './imports-support.ts';
import { addWebsite, aQuery } from './support.ts';

describe.skipIf(skipsClickHouse)('imports in ClickHouse', () => {
  const openDatabases = useDatabases();

  async function openPorts() {
    const databases = await openDatabases();
    const { postgres, openEngine } = databases;
    const ports = { ...postgres, ...openEngine() };
    const website = await addWebsite(ports);
    const whole = aQuery(website.websiteId, { from: '2026-01-01', to: '2026-12-31' });
    return { ...databases, ports, website, whole };
  }

  it.each([
    ['hits', 'hit'],
    ['sums', 'imported_sum'],
  ])('whose staged %s are lost are not done', async (_, table) => {
    const { ports, website, whole, name, run } = await openPorts();
    const { id } = await beginImport(ports, website);
    if (table === 'hit') await ports.history.stage(id, someHits(website.websiteId));
    else await ports.history.stageSums(id, [aSum('2026-11-20', 'total', null, { visitors: 1, pageviews: 1 })]);
    await run(`truncate table ${name}.${table}`);

    const publishing = ports.history.publish(id, NO_IMPORT_COUNTS, NOW);

    await expect(publishing).rejects.toMatchObject({ code: 'unavailable' });
    expect(await ports.statistics.totals(whole)).toMatchObject({ pageviews: 0 });
    expect(await ports.imports.find(website, id)).toMatchObject({ status: 'running' });
  });
});
