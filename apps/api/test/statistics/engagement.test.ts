import { bareDetails } from '@hitherto/domain/hits';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

let api: Api;
let id: string;

beforeAll(async () => {
  api = await startApi();
  id = (await api.createWebsite()).id;
  const pageview = (view: number, page: string) =>
    aCountedHit({ websiteId: id, visitor: BigInt(view), view, page, source: 'é' });
  const measure = (view: number, seconds: number, scroll: number) => {
    const { websiteId, time, day, visitor } = pageview(view, '');
    return { ...bareDetails('', ''), websiteId, time, day, visitor, view, measure: { seconds, scroll } };
  };
  await api.hits.add([
    ...[pageview(1, '/a'), pageview(2, '/a'), pageview(3, '/a'), pageview(4, '/b')],
    ...[measure(1, 12, 30), measure(2, 5, 81), measure(2, 3, 90)],
  ]);
});
afterAll(() => api.app.close());

const read = async (path: string, accept = 'application/json') =>
  api.send('GET', `/api/v1/websites/${id}/statistics${path}`, { headers: { accept } });

describe('engagement', () => {
  test('is the mean of measured pageviews in the totals, whose number is told', async () => {
    expect((await read('')).json()).toMatchObject({
      data: { pageviews: 4, engaged_seconds: 8.5, scroll_depth: 60, measured: 2, engagement_rate: 0.5 },
    });
    expect((await read('?page=/b')).json()).toMatchObject({
      data: { pageviews: 1, engaged_seconds: null, scroll_depth: null, measured: 0, engagement_rate: null },
    });
  });

  test.each(['page', 'entry_page', 'exit_page', 'source'])('is in the rows of %s', async (dimension) => {
    const { data } = (await read(`/by/${dimension}`)).json<{ data: object[] }>();

    expect(data[0]).toMatchObject({ engaged_seconds: 8.5, scroll_depth: 60 });
    if (dimension !== 'source') expect(data[1]).toMatchObject({ engaged_seconds: null, scroll_depth: null });
  });

  test('is in CSV, and empty without a measured pageview', async () => {
    expect((await read('/by/page', 'text/csv')).text).toBe(
      'value,visitors,visits,pageviews,engaged_seconds,scroll_depth\r\n/a,3,3,3,8.5,60\r\n/b,1,1,1,,\r\n',
    );
  });

  test('sorts lists, the greatest first, page by page', async () => {
    await api.hits.add(
      Array.from({ length: 12 }, (_, index) =>
        aCountedHit({ websiteId: id, visitor: 100n, page: `/x${index}`, source: 'x' }),
      ),
    );

    const first = (await read('/by/page?sort=engaged_seconds')).json<{
      data: { value: string }[];
      links: { next: string };
    }>();
    const second = await api.send('GET', first.links.next);

    expect(first.data.map(({ value }) => value).slice(0, 3)).toEqual(['/a', '/b', '/x0']);
    expect(second.json()).toMatchObject({
      data: [{ value: '/x6' }, { value: '/x7' }, { value: '/x8' }, { value: '/x9' }],
    });
    const other = first.links.next.replace('engaged_seconds', 'visitors');
    expect((await api.send('GET', other)).json()).toMatchObject({ errors: [{ field: 'cursor' }] });
    expect((await read('/by/page?sort=scroll')).status).toBe(422);
  });
});
