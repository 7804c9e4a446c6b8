import { setTimeout as sleep } from 'node:timers/promises';
import { aSum, importHits, importSums } from '@hitherto/contracts/statistics/imports-support';
import { addHits, addHitsOnce, addWebsite, addWebsites, at, untilDone } from '@hitherto/contracts/statistics/support';
import { isUnavailable } from '@hitherto/domain/base';
import { addDays } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import { endMove } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';
import { GAPS } from '@hitherto/domain/visits';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { histories } from '@hitherto/testing/fixtures';
import { runs } from '@hitherto/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BothEngines, move, NOW, onDay, readAll, useBothEngines } from './moving.ts';

/** The numbers before a move to ClickHouse, there, and back in PostgreSQL. Each store that they left is cleared. */
async function thereAndBack(
  { service, clickhouse, toClickHouse, toPostgres }: BothEngines,
  websites: readonly string[],
) {
  const before = await readAll(service.statistics, websites);
  await move(toClickHouse);
  await endMove(toClickHouse);
  const there = await readAll(clickhouse.statistics, websites);
  await move(toPostgres);
  await endMove(toPostgres);
  return { before, there, back: await readAll(service.statistics, websites) };
}

describe.skipIf(skipsClickHouse)('moving statistics', () => {
  const open = useBothEngines();

  it('changes no number, there and back, whatever the history', async () => {
    const property = fc.asyncProperty(fc.array(histories(), { minLength: 3, maxLength: 3 }), async (told) => {
      const { service } = open();
      const zones = told.map(({ zone }) => zone.name);
      const websites = await addWebsites(service, zones);
      const hits = told.flatMap(({ hits: own }, index) =>
        own.map((hit) => ({ ...hit, websiteId: websites[index] ?? '' })),
      );
      if (hits.length > 0) await addHits(service, hits);

      const { before, there, back } = await thereAndBack(open(), websites);

      expect(there).toStrictEqual(before);
      expect(back).toStrictEqual(before);
    });
    await fc.assert(property, { numRuns: runs(1, 20) });
  }, 600_000);

  it('moves summaries of days whose hits are deleted', async () => {
    const { service } = open();
    const [websiteId = ''] = await addWebsites(service, [null]);
    const days = Array.from({ length: 40 }, (_, index) => addDays('2026-11-20', -index));
    const hits = days.flatMap((day, index) => [
      onDay(websiteId, day, 1n, { page: '/é' }),
      onDay(websiteId, day, 2n, { page: `/${index}` }),
    ]);
    await addHits(service, hits);
    await untilDone(() => service.maintenance.deleteHitsBefore('2026-11-05'));

    const { before, there, back } = await thereAndBack(open(), [websiteId]);

    expect(before[0]?.days).toHaveLength(40);
    expect(there).toStrictEqual(before);
    expect(back).toStrictEqual(before);
  });

  it('moves sums of imported days, with what they do not say', async () => {
    const { service } = open();
    const website = await addWebsite(service);
    const { websiteId } = website;
    await addHits(service, [at('12:00', { websiteId })]);
    const id = await importSums(service, website, [
      aSum('2025-03-01', 'total', null, { visitors: 3, pageviews: 9, events: 4, gaps: GAPS.visits }),
      aSum('2025-03-01', 'page', '/é 🦊\\\t\n', { visitors: 2, pageviews: 9, gaps: GAPS.visits | GAPS.visitorsAtMost }),
      aSum('2025-03-01', 'country', null, {
        visitors: 3,
        visits: 5,
        bounces: 1,
        visitsWithPageviews: 5,
        duration: 70_000,
      }),
      aSum('2025-03-01', 'event', 'Signup', { visitors: 2, events: 4, gaps: GAPS.visits }),
    ]);

    const { before, there, back } = await thereAndBack(open(), [websiteId]);

    expect(before[0]?.days).toMatchObject([
      { start: '2025-03-01', visitors: 3, pageviews: 9, gaps: GAPS.visits },
      { start: '2026-11-20', visitors: 1 },
    ]);
    expect(there).toStrictEqual(before);
    expect(back).toStrictEqual(before);
    await service.staging.remove(id, NOW, UNRECORDED);
    expect((await readAll(service.statistics, [websiteId]))[0]?.days).toHaveLength(1);
  });

  it('moves the numbers of imports of days whose hits were deleted before', async () => {
    const { service, clickhouse, toClickHouse, toPostgres } = open();
    const website = await addWebsite(service);
    const { websiteId } = website;
    await addHits(service, [onDay(websiteId, '2026-10-30'), onDay(websiteId, '2026-11-20')]);
    await move(toClickHouse);
    await untilDone(() => clickhouse.maintenance.deleteHitsBefore('2026-11-01'));
    const days = ['2026-09-30', '2026-10-30', '2026-10-30', '2026-11-19'];
    const hits = days.map((day, index) => onDay(websiteId, day, BigInt(index), { page: `/${index}`, country: 'FR' }));
    await importHits({ ...service, staging: clickhouse.staging }, website, hits);
    const there = await readAll(clickhouse.statistics, [websiteId]);

    await move(toPostgres);
    await endMove(toPostgres);

    expect(there[0]?.days.map(({ pageviews }) => pageviews)).toEqual([1, 3, 1, 1]);
    expect(await readAll(service.statistics, [websiteId])).toStrictEqual(there);
  });

  it.each([
    ['ClickHouse', 'toClickHouse'],
    ['PostgreSQL', 'toPostgres'],
  ] as const)('to %s, hits that arrive meanwhile are moved too, by any writer', async (_, direction) => {
    const { service, clickhouse, toClickHouse } = open();
    const deps = open()[direction];
    const [websiteId = ''] = await addWebsites(service, [null]);
    if (direction === 'toPostgres') await move(toClickHouse);
    let sent = 0;
    let isDone = false;
    const aHit = (): CountedHit => {
      sent += 1;
      return at('12:00', { websiteId, visitor: BigInt(sent % 50), time: new Date(NOW.getTime() - sent * 60) });
    };
    await addHits(service, Array.from({ length: 100 }, aHit));
    const send = async () => {
      while (!isDone) {
        await addHits(service, [aHit(), aHit()]);
        const [key, hits] = [`key ${sent}`, [aHit()]];
        // While collecting stops, a batch with a key may have to be sent again.
        const isAdded = () =>
          addHitsOnce(service, key, hits).then(
            () => true,
            (error) => {
              if (isUnavailable(error)) return false;
              throw error;
            },
          );
        while (!(await isAdded())) await sleep(10);
        await sleep(5);
      }
    };

    const sending = [send(), send()];
    const moved = move(deps);
    await moved.finally(() => {
      isDone = true;
    });
    await Promise.all(sending);

    const { statistics } = direction === 'toClickHouse' ? clickhouse : service;
    const totals = await statistics.totals({ websiteId, from: '2026-11-01', to: '2026-11-30', filters: [] });
    expect(sent).toBeGreaterThan(100);
    expect(totals.pageviews).toBe(sent);
    const left = direction === 'toClickHouse' ? service : clickhouse;
    await expect(left.statistics.firstDay(websiteId)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
