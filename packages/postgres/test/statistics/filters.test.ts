import { addHits, addWebsite, all, aQuery, at, settle, type ValueFilter } from '@hitherto/contracts/statistics/support';
import { DIMENSIONS } from '@hitherto/domain/hits';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPostgres } from '../../src/index.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {} });
let websiteId: string;

afterAll(async () => {
  await ports.close();
  await database.drop();
});

const MANY = 60;

beforeEach(async () => {
  await clearStatistics(database.url);
  ({ websiteId } = await addWebsite(ports));
  const pages = (visitor: bigint, ...seen: string[]) =>
    seen.map((page, minute) => at(`12:${String(minute).padStart(2, '0')}`, { websiteId, visitor, page }));
  const many = Array.from({ length: MANY }, (_, n) => `/many/${n}`);
  await addHits(ports, [
    ...pages(1n, '/a', '/b', '/é', '/b', '/c'),
    ...pages(2n, '/a', '/b'),
    at('12:00', { websiteId, visitor: 2n, name: 'Signup' }),
    at('12:01', { websiteId, visitor: 2n, name: 'Signup' }),
    at('18:00', { websiteId, visitor: 2n, page: '/b', name: 'Download' }),
    ...pages(3n, ...many),
    ...many.map((name) => at('12:30', { websiteId, visitor: 4n, name })),
  ]);
});

const overview = (...filters: ValueFilter[]) =>
  ports.statistics.overview(aQuery(websiteId, { filters: all(...filters) }), DIMENSIONS, 5);

const visitorsOf = async (filter: ValueFilter) =>
  (await ports.statistics.totals(aQuery(websiteId, { filters: all(filter) }))).visitors;

describe('numbers of filtered visits', () => {
  it('have all pages and events of a visit, however many', async () => {
    const { values } = await overview({ dimension: 'device', value: at('12:00').device });

    expect([values.get('page')?.total, values.get('event')?.total]).toEqual([4 + MANY, 2 + MANY]);
    expect(await visitorsOf({ dimension: 'page', value: '/many/30' })).toBe(1);
    expect(await visitorsOf({ dimension: 'event', value: '/many/30' })).toBe(1);
  });

  it('are read from stored numbers for a value of whole visits, of days without new hits', async () => {
    const filters: ValueFilter[] = [
      { dimension: 'device', value: at('12:00').device },
      { dimension: 'entry_page', value: '/a' },
      { dimension: 'entry_page', value: null },
      { dimension: 'exit_page', value: '/nowhere' },
    ];
    const days = () =>
      Promise.all(filters.map((filter) => ports.statistics.series(aQuery(websiteId, { filters: all(filter) }), 'day')));
    const before = await days();
    await settle(ports);

    expect(before.map((points) => points.map(({ visitors, visits }) => [visitors, visits]))).toEqual([
      [[4, 5]],
      [[2, 2]],
      [[2, 2]],
      [],
    ]);
    expect(await days()).toStrictEqual(before);
  });

  it('are read from visits for a page or an event, and for two values', async () => {
    const filters: ValueFilter[][] = [
      [{ dimension: 'page', value: '/b' }],
      [{ dimension: 'event', value: 'Signup' }],
      [
        { dimension: 'entry_page', value: '/a' },
        { dimension: 'exit_page', value: '/c' },
      ],
    ];
    const days = () =>
      Promise.all(
        filters.map((chosen) => ports.statistics.series(aQuery(websiteId, { filters: all(...chosen) }), 'day')),
      );
    const before = await days();

    await settle(ports);

    expect(before.map((points) => points.map(({ pageviews }) => pageviews))).toEqual([[7], [2], [5]]);
    expect(await days()).toStrictEqual(before);
  });
});
