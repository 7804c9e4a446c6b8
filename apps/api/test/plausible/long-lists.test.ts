import { afterAll, describe, expect, test } from 'vitest';
import { aHit, asc, desc, is, rows, rowsOf, startSite } from './site.ts';

// A list of 12,002 pages and one of 10,003 values of a property; a query reads 10,000 of each.

let visitor = 0n;
const hitOf = (day: string, more: Parameters<typeof aHit>[3]) => {
  visitor += 1n;
  return aHit(visitor, day, '10:00', more);
};
const pagesOf = (day: string) => Array.from({ length: 4_000 }, (_, index) => hitOf(day, { page: `/${day}/${index}` }));
const linkTo = (url: string) => hitOf('2026-11-19', { name: 'Link', props: { url } });

const { api, query, get } = await startSite({
  name: 'dummy.site',
  website: { url: 'https://dummy.site' },
  hits: [
    ...['/top', '/top', '/top', '/second', '/second'].map((page) => hitOf('2026-11-16', { page })),
    ...['2026-11-16', '2026-11-17', '2026-11-18'].flatMap(pagesOf),
    ...['top', 'top', ''].map(linkTo),
    ...Array.from({ length: 10_001 }, (_, index) => linkTo(`link ${index}`)),
  ],
  goals: [{ name: 'Link', event: 'Link' }],
});
afterAll(() => api.app.close());

const PAGES = { date_range: '7d', dimensions: ['event:page'] };
const LINKS = { date_range: '7d', dimensions: ['event:props:url'], filters: [is('event:goal', 'Link')] };

describe('a list of more than 10,000 values', () => {
  test('has its first values by visitors', async () => {
    const pages = await query({ ...PAGES, pagination: { limit: 2 } });
    const links = await query({ ...LINKS, pagination: { limit: 1 } });
    const { body } = await get('stats/breakdown?period=7d&property=event:page&limit=2');

    expect(rowsOf(pages.body)).toEqual(rows(['/top', 3], ['/second', 2]));
    expect(rowsOf(links.body)).toEqual(rows(['top', 2]));
    expect(body.results).toEqual([
      { page: '/top', visitors: 3 },
      { page: '/second', visitors: 2 },
    ]);
  });

  test('has pages up to its value 10,000', async () => {
    const all = await query(PAGES);
    const end = await query({ ...PAGES, pagination: { limit: 2, offset: 9_998 } });
    const links = await query(LINKS);

    expect(all.body.results).toHaveLength(10_000);
    expect(end.body.results).toEqual(all.body.results.slice(-2));
    expect(links.body.results).toHaveLength(10_000);
  });

  test.each<[string, object]>([
    ['another order', { order_by: [asc('event:page')] }],
    ['a second order', { order_by: [desc('visitors'), desc('event:page')] }],
    ['another metric', { metrics: ['pageviews'] }],
    ['the number of rows', { include: { total_rows: true } }],
    ['a page beyond', { pagination: { limit: 2, offset: 9_999 } }],
    ['a comparison', { include: { comparisons: { mode: 'year_over_year' } } }],
    ['a filter of rows', { filters: [['contains', 'event:page', ['/']]] }],
  ])('is rejected with %s', async (_, more) => {
    const { status, body } = await query({ ...PAGES, ...more });

    expect([status, body.error]).toEqual([400, expect.stringContaining('more than 10000 rows')]);
  });

  test.each(['limit=1000&page=11', 'limit=2&metrics=pageviews'])('is rejected in version 1 with %s', async (more) => {
    const { status, body } = await get(`stats/breakdown?period=7d&property=event:page&${more}`);

    expect([status, body.error]).toEqual([400, expect.stringContaining('more than 10000 rows')]);
  });
});
