import { hitOf, importHits, NOW } from '@hitherto/contracts/statistics/imports-support';
import { addHits, addWebsite, aQuery } from '@hitherto/contracts/statistics/support';
import { UNRECORDED } from '@hitherto/domain/changes';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openClient } from '../src/connection/client.ts';
import { sql } from '../src/connection/sql.ts';
import { rebuildDays } from '../src/jobs/rebuild.ts';
import { findRows, type Reading } from '../src/reading/rows.ts';
import { openDatabases } from './databases.ts';

const DAY = '2026-11-20';

describe.skipIf(skipsClickHouse)('a read in ClickHouse that has chosen summaries', () => {
  /** A day with a hit that was collected and one that was imported, and a read of it that continues when it is called. */
  async function beginRead() {
    const { url, postgres, openEngine } = await openDatabases();
    const { journal } = postgres;
    const ports = { ...postgres, ...openEngine() };
    const website = await addWebsite(ports);
    const { websiteId } = website;
    await addHits(ports, [hitOf(websiteId, DAY, 1n)]);
    const { id } = await importHits(ports, website, [hitOf(websiteId, DAY, 2n)]);
    await ports.maintenance.settle(NOW);
    const found = await journal.findWebsite(websiteId);
    if (found === undefined) throw new Error('The website is missing.');
    const client = openClient(url);
    onTestFinished(client.close);
    const { from, to } = aQuery(websiteId);
    const { number, zone, imports } = found;
    const days = { website: number, zone, imports, from, to };
    const unfiltered = {
      filters: [],
      goals: new Map(),
      onlyHits: false,
      isChoice: false,
      rules: [],
      hidden: undefined,
      pageRules: [],
    };
    const reading: Reading = { ...days, ...unfiltered };
    const rows = await findRows(client, reading, ['total']);
    const endRead = () =>
      client.read(sql`select day, sum(pageviews) as pageviews from (${rows(['total'])}) group by day`);
    return { ports, client, number, websiteId, importId: id, endRead };
  }
  const BEFORE = [{ day: DAY, pageviews: '2' }];

  it('has their numbers although the days are rebuilt meanwhile', async () => {
    const { ports, client, number, websiteId, endRead } = await beginRead();

    await ports.journal.exclusively((version) =>
      rebuildDays(client, undefined, [{ website: number, day: DAY }], version),
    );

    expect(await endRead()).toEqual(BEFORE);
    expect(await ports.statistics.totals(aQuery(websiteId))).toMatchObject({ pageviews: 2 });
  });

  it('has their numbers although an import of the days is removed meanwhile', async () => {
    const { ports, websiteId, importId, endRead } = await beginRead();

    await ports.staging.remove(importId, NOW, UNRECORDED);

    expect(await endRead()).toEqual(BEFORE);
    expect(await ports.statistics.totals(aQuery(websiteId))).toMatchObject({ pageviews: 1 });
  });
});
