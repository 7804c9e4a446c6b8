import { importHits, importWholeLog, readHits } from '@hitherto/contracts/statistics/imports-support';
import { addHits, addWebsite, rebuild, settle, untilDone } from '@hitherto/contracts/statistics/support';
import { UNRECORDED } from '@hitherto/domain/changes';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe, expect, it } from 'vitest';
import { move, NOW, onDay, readAll, useBothEngines } from './moving.ts';

describe.skipIf(skipsClickHouse)('imports after a move', () => {
  const open = useBothEngines();

  it('are deleted with the numbers of days whose hits were deleted before', async () => {
    const { service, clickhouse, toClickHouse } = open();
    const website = await addWebsite(service);
    const { websiteId } = website;
    await addHits(service, [onDay(websiteId, '2026-11-20')]);
    const before = await readAll(service.statistics, [websiteId]);
    const hits = ['2026-10-30', '2026-10-31', '2026-10-31'].map((day, hit) => onDay(websiteId, day, BigInt(hit)));
    const { id } = await importHits(service, website, hits);
    await untilDone(() => service.maintenance.deleteHitsBefore('2026-11-01'));
    await move(toClickHouse);

    await clickhouse.staging.remove(id, NOW, UNRECORDED);

    expect(await readAll(clickhouse.statistics, [websiteId])).toStrictEqual(before);
  });

  it('of logs are deleted without the other hits of their visitors', async () => {
    const { service, clickhouse, toClickHouse } = open();
    const website = await addWebsite(service);
    const { websiteId } = website;
    const day = '2026-11-19';
    const hitOf = (visitor: bigint, minute: number, page: string) =>
      onDay(websiteId, day, visitor, { page, time: new Date(Date.parse(`${day}T10:00:00Z`) + minute * 60_000) });
    await addHits(service, [hitOf(1n, 0, '/collected'), hitOf(2n, 0, '/alone')]);
    const collected = await readAll(service.statistics, [websiteId]);
    const first = await importWholeLog(service, website, [hitOf(1n, 10, '/first'), hitOf(3n, 0, '/other')]);
    const withFirst = await readAll(service.statistics, [websiteId]);
    const second = await importWholeLog(service, website, [hitOf(3n, 5, '/second'), hitOf(1n, 60, '/late')]);
    await move(toClickHouse);
    const read = () => readAll(clickhouse.statistics, [websiteId]);

    await clickhouse.staging.remove(second, NOW, UNRECORDED);
    expect(await read()).toStrictEqual(withFirst);
    await settle(clickhouse);
    expect(await read()).toStrictEqual(withFirst);
    await clickhouse.staging.remove(first, NOW, UNRECORDED);
    expect(await read()).toStrictEqual(collected);
    await settle(clickhouse);
    await rebuild(clickhouse);
    expect(await read()).toStrictEqual(collected);
  });

  it('of logs have the same visitors in an export as before the move', async () => {
    const { service, clickhouse, toClickHouse } = open();
    const website = await addWebsite(service);
    const { websiteId } = website;
    const late = onDay(websiteId, '2026-11-19', 1n, { time: new Date('2026-11-19T13:00:00Z') });
    await addHits(service, [onDay(websiteId, '2026-11-19', 1n), onDay(websiteId, '2026-11-19', 2n)]);
    await importWholeLog(service, website, [late]);
    const exported = await readHits(service, websiteId);
    await move(toClickHouse);

    expect(new Set(await readHits(clickhouse, websiteId))).toStrictEqual(new Set(exported));
  });
});
