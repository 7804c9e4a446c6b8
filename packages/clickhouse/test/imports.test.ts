import {
  aSum,
  beginImport,
  hitOf,
  importHits,
  importWholeLog,
  NOW,
  readHits,
  someHits,
} from '@hitherto/contracts/statistics/imports-support';
import { addHits, addWebsite, aQuery, runJob, settle, untilDone } from '@hitherto/contracts/statistics/support';
import { unavailable } from '@hitherto/domain/base';
import { UNRECORDED } from '@hitherto/domain/changes';
import { NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe, expect, it } from 'vitest';
import { openDatabases } from './databases.ts';

describe.skipIf(skipsClickHouse)('imports in ClickHouse', () => {
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
    const { ports, website, whole, run } = await openPorts();
    const { id } = await beginImport(ports, website);
    if (table === 'hit') await ports.staging.stage(id, someHits(website.websiteId));
    else await ports.staging.stageSums(id, [aSum('2026-11-20', 'total', null, { visitors: 1, pageviews: 1 })]);
    await run(`truncate table ${table}`);

    const publishing = ports.staging.publish(id, NO_IMPORT_COUNTS, NOW, undefined, undefined);

    await expect(publishing).rejects.toMatchObject({ code: 'unavailable' });
    expect(await ports.statistics.totals(whole)).toMatchObject({ pageviews: 0 });
    expect(await ports.imports.find(website, id)).toMatchObject({ status: 'running' });
  });

  it('whose deletion fails have all their numbers, also of days whose hits are kept no longer', async () => {
    const { postgres, openEngine, ports, website, whole } = await openPorts();
    const { id } = await importHits(ports, website, someHits(website.websiteId));
    await settle(ports);
    await untilDone(() => ports.maintenance.deleteHitsBefore('2026-11-10'));
    const before = await ports.statistics.totals(whole);
    const away = unavailable('PostgreSQL is away.');
    const failing = openEngine({ ...postgres.journal, deleteImport: () => Promise.reject(away) });

    await expect(failing.staging.remove(id, NOW, UNRECORDED)).rejects.toBe(away);

    expect(await ports.statistics.totals(whole)).toEqual(before);
    expect(await ports.staging.remove(id, NOW, UNRECORDED)).toBe(true);
    expect(await ports.statistics.totals(whole)).toMatchObject({ pageviews: 0, events: 0 });
  });

  it('of logs with common visitors have as many visitors in an export as in the statistics', async () => {
    const { ports, website, whole } = await openPorts();
    await importWholeLog(ports, website, [hitOf(website.websiteId, '2026-11-20', 1n)]);
    await importWholeLog(ports, website, [hitOf(website.websiteId, '2026-11-20', 1n)]);
    const { visitors } = await ports.statistics.totals(whole);

    const exported = await readHits(ports, website.websiteId);

    expect(new Set(exported.map(({ visitor }) => visitor)).size).toBe(visitors);
  });

  it('come from an export with each hit once, also if hits arrive while it is read', async () => {
    const { ports, website } = await openPorts();
    const { websiteId } = website;
    const day = '2026-11-20';
    const hits = Array.from({ length: 21_000 }, (_, n) => hitOf(websiteId, day, BigInt(n + 10)));
    await importHits(ports, website, hits);

    const visitors: bigint[] = [];
    for await (const { visitor } of ports.staging.hits(websiteId)) {
      if (visitors.length === 0) {
        const early = Array.from({ length: 9 }, (_, n) => hitOf(websiteId, day, BigInt(n + 1)));
        await addHits(ports, early);
        await settle(ports);
      }
      visitors.push(visitor);
    }

    expect(new Set(visitors).size).toBe(visitors.length);
    expect(visitors.length).toBeGreaterThanOrEqual(hits.length);
  });

  describe('whose deletion was killed', () => {
    /** Ports of a process that goes on after the one was killed that deleted an import. */
    async function openAfterKill() {
      const databases = await openPorts();
      const { postgres, openEngine, ports, website } = databases;
      const { id } = await importHits(ports, website, someHits(website.websiteId));
      await settle(ports);
      const killed = new Error('killed');
      const deleteImport: typeof postgres.journal.deleteImport = async (...args) => {
        await postgres.journal.deleteImport(...args);
        throw killed;
      };
      const dying = openEngine({ ...postgres.journal, deleteImport });
      await expect(dying.staging.remove(id, NOW, UNRECORDED)).rejects.toBe(killed);
      return databases;
    }

    it('do not come back when hits of their days are no longer kept', async () => {
      const { ports, whole } = await openAfterKill();

      await untilDone(() => ports.maintenance.deleteHitsBefore('2026-12-01'));

      expect(await ports.statistics.totals(whole)).toMatchObject({ pageviews: 0, events: 0 });
      expect(await ports.statistics.firstDay(whole.websiteId)).toBeUndefined();
    });

    it('leave their days to later ones, also with as many hits', async () => {
      const { ports, website, whole } = await openAfterKill();
      await runJob(ports, 'free the disk of deleted rows');

      await importHits(
        ports,
        website,
        someHits(website.websiteId).map((hit) => ({ ...hit, page: '/other' })),
      );

      const { rows } = await ports.statistics.values(whole, 'page', 10);
      expect(rows.map(({ value }) => value)).toStrictEqual(['/other']);
    });
  });

  it('count a visitor of two of them in each', async () => {
    const { ports, website, whole } = await openPorts();
    const hit = hitOf(website.websiteId, '2026-10-30', 11n);

    await importWholeLog(ports, website, [hit, { ...hit, page: '/b' }]);
    expect(await ports.statistics.totals(whole)).toMatchObject({ visitors: 1, visits: 1, pageviews: 2 });
    await importWholeLog(ports, website, [{ ...hit, page: '/c' }]);

    expect(await ports.statistics.totals(whole)).toMatchObject({ visitors: 2, visits: 2, pageviews: 3 });
  });
});
