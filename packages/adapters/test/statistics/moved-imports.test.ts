import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe, expect, it } from 'vitest';
import { importHits } from './imports-support.ts';
import { move, NOW, onDay, readAll, useBothEngines } from './moving.ts';
import { addHits, addWebsite, untilDone } from './support.ts';

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

    await clickhouse.history.remove(id, NOW);

    expect(await readAll(clickhouse.statistics, [websiteId])).toStrictEqual(before);
  });
});
