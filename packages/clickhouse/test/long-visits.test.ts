import { addHits, addWebsite, aQuery, at } from '@hitherto/contracts/statistics/support';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { beforeAll, describe, expect, it } from 'vitest';
import { useClickHouse } from './ports.ts';

/** If each value of a visit were compared with each of its hits, reading would take more than it may. */
const PAIRS = 15_000;

describe.skipIf(skipsClickHouse)('a visit in ClickHouse with very many pages and events, all different', () => {
  const begin = useClickHouse();
  let ports: Awaited<ReturnType<typeof begin>>;
  let websiteId: string;

  beforeAll(async () => {
    ports = await begin();
    ({ websiteId } = await addWebsite(ports));
    const hits = Array.from({ length: PAIRS }, (_, index) => [
      at('12:00', { websiteId, visitor: 1n, page: `/${index}` }),
      at('12:01', { websiteId, visitor: 1n, page: `/${index}`, name: `event ${index}`, props: { number: index } }),
    ]);
    await addHits(ports, hits.flat());
  });

  it.each(['page', 'event'] as const)('is listed by %s', async (dimension) => {
    const { rows } = await ports.statistics.values(aQuery(websiteId), dimension, 10_000);

    expect(rows.reduce((sum, { pageviews }) => sum + pageviews, 0)).toBe(dimension === 'page' ? PAIRS : 0);
    expect(rows.reduce((sum, { events }) => sum + events, 0)).toBe(dimension === 'page' ? 0 : PAIRS);
  });

  it('is listed by a property', async () => {
    const { total } = await ports.statistics.propertyValues(aQuery(websiteId), undefined, 'number', 10);

    expect(total).toBe(PAIRS);
  });

  it('is listed by page with the conversions of a goal', async () => {
    const goal = { id: 'any', rule: { page: '/*' }, sum: null };

    const found = await ports.statistics.conversions(aQuery(websiteId), goal, 'page', ['/0']);

    expect(found).toStrictEqual([{ key: '/0', visitors: 1, conversions: PAIRS }]);
  });

  it('is summarised', async () => {
    await ports.maintenance.settle(new Date('2026-11-22'));

    const { total, rows } = await ports.statistics.values(aQuery(websiteId), 'page', 1);

    expect([total, rows[0]?.pageviews]).toEqual([5_001, PAIRS - 5_000]);
  });
});
