import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { addHits, anExample } from './histories.ts';

// api.md: GET /api/v1/stats/{id}.

interface StatsJson {
  readonly data: readonly { readonly value: string | number | null; readonly count: number }[];
  readonly links: Readonly<Record<'first' | 'last' | 'prev' | 'next', string | null>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly current_page: number;
  readonly last_page: number;
  readonly per_page: number;
  readonly total: number;
}

let api: Api;
let id: string;
let long: string;
beforeAll(async () => {
  api = await startApi();
  id = await anExample(api);
  long = (await api.createWebsite()).id;
  await addHits(
    api,
    long,
    Array.from({ length: 35 }, (_, index) => ({
      visitor: BigInt(index),
      page: index < 5 ? '/often' : `/p${index}`,
      country: (['DE', 'FR', 'US', 'XK', null] as const)[index % 5] ?? null,
    })),
  );
});
afterAll(() => api.app.close());

const get = (query: string, website = id, accept = 'application/json') =>
  api.send('GET', `/api/v1/stats/${website}?${query}`, { headers: { accept } });
const rowsOf = async (query: string, website = id) =>
  (await get(query, website)).json<StatsJson>().data.map(({ value, count }) => [value, count]);

describe('GET /api/v1/stats/{id}', () => {
  test('lists values with their counts, and says the page at the top level and in "meta"', async () => {
    const link = `/api/v1/stats/${id}?name=browser&from=2026-11-01&to=2026-11-20&page=1`;

    expect((await get('name=browser&from=2026-11-01&to=2026-11-20')).json()).toEqual({
      data: [{ value: 'Firefox', count: 2 }],
      links: { first: link, last: link, prev: null, next: null },
      meta: {
        name: 'browser',
        from: '2026-11-01',
        to: '2026-11-20',
        time_zone: 'UTC',
        without_days: [],
        per_page: 10,
        total: 1,
      },
      current_page: 1,
      last_page: 1,
      per_page: 10,
      total: 1,
    });
  });

  test('counts pageviews of pages, events of events, and visitors of everything else', async () => {
    expect(await rowsOf('name=page')).toEqual([
      ['/a', 4],
      ['/b', 2],
      ['/é', 1],
    ]);
    expect(await rowsOf('name=event')).toEqual([['Signup', 1]]);
    expect(await rowsOf('name=landing_page')).toEqual([['/a', 2]]);
  });

  test('has a series by day, and by month beyond 92 days', async () => {
    expect(await rowsOf('name=pageviews&from=2026-11-19&to=2026-11-20')).toEqual([
      ['2026-11-20', 7],
      ['2026-11-19', 0],
    ]);
    expect(await rowsOf('name=visitors&from=2026-08-21&to=2026-11-20&per_page=100')).toHaveLength(92);
    expect(await rowsOf('name=visitors&from=2026-08-20&to=2026-11-20&sort_by=value&sort=asc')).toEqual([
      ['2026-08-01', 0],
      ['2026-09-01', 0],
      ['2026-10-01', 0],
      ['2026-11-01', 2],
    ]);
  });

  test('sums up the hours of the day in the zone of the website', async () => {
    const { id: tokyo } = await api.createWebsite({ url: 'https://tokyo.example', time_zone: 'Asia/Tokyo' });
    await addHits(api, tokyo, [
      { visitor: 1n, time: new Date('2026-11-19T23:30:00Z') },
      { visitor: 2n, time: new Date('2026-11-18T23:10:00Z') },
    ]);
    const hours = await rowsOf('name=pageviews_hours&sort_by=value&sort=asc&per_page=100', tokyo);

    expect(hours).toHaveLength(24);
    expect(hours[8]).toEqual([8, 2]);
    expect(await rowsOf('name=visitors_hours')).toEqual([
      [10, 2],
      [8, 1],
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((hour) => [hour, 0]),
    ]);
  });

  test('sums up countries by continent', async () => {
    expect(await rowsOf('name=continent', long)).toEqual([
      ['Europe', 21],
      [null, 7],
      ['North America', 7],
    ]);
  });

  test.each(['city', 'resolution'])('%s is 422 not_collected, which names it', async (name) => {
    const response = await get(`name=${name}`);

    expect(response.status).toBe(422);
    expect(response.json()).toMatchObject({ code: 'not_collected', detail: `Nothing is collected for "${name}".` });
  });

  test.each([
    ['', 'name required'],
    ['name=pages', 'name not_allowed'],
    ['name=os&per_page=9', 'per_page not_allowed'],
    ['name=os&page=0', 'page not_allowed'],
    ['name=os&page=x', 'page not_allowed'],
    ['name=os&sort=up', 'sort not_allowed'],
    ['name=os&sort_by=os', 'sort_by not_allowed'],
    ['name=os&from=2026-11-01', 'to required'],
    ['name=os&country=DE', 'country unknown'],
  ])('%j is rejected', async (query, fault) => {
    expect((await get(query)).faults()).toEqual([fault]);
  });

  test('a website of another account is not found', async () => {
    expect((await get('name=os', '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f99')).status).toBe(404);
  });
});

describe('order, search and pages', () => {
  test('most first, or least first, ties by value; or by value, either way', async () => {
    expect((await rowsOf('name=page', long)).slice(0, 2)).toEqual([
      ['/often', 5],
      ['/p10', 1],
    ]);
    expect((await rowsOf('name=page&sort=asc', long))[0]).toEqual(['/p10', 1]);
    expect((await rowsOf('name=page&sort_by=value', long))[0]).toEqual(['/p9', 1]);
    expect((await rowsOf('name=page&sort_by=value&sort=asc', long))[0]).toEqual(['/often', 5]);
  });

  test('searches within values, whatever the letter case', async () => {
    expect(await rowsOf('name=page&search=OFT', long)).toEqual([['/often', 5]]);
    expect(await rowsOf('name=page&search=nothing', long)).toEqual([]);
  });

  test('a walk sees each value once, and the links keep the other parameters', async () => {
    const pages = [(await get('name=page&per_page=12&search=/', long)).json<StatsJson>()];
    for (let next = pages[0]?.links.next ?? null; next !== null; next = pages.at(-1)?.links.next ?? null) {
      pages.push((await api.send('GET', next)).json<StatsJson>());
    }

    expect(pages.map(({ data, current_page }) => [current_page, data.length])).toEqual([
      [1, 12],
      [2, 12],
      [3, 7],
    ]);
    expect(new Set(pages.flatMap(({ data }) => data.map(({ value }) => value))).size).toBe(31);
    expect(pages[1]?.links.first).toContain('search=%2F');
    expect(pages[2]?.links.prev).toContain('page=2');
  });

  test('past the end it is empty, and leads back to the last page', async () => {
    const { data, links, last_page } = (await get('name=page&page=9', long)).json<StatsJson>();

    expect([data, last_page, links.next]).toEqual([[], 4, null]);
    expect(links.prev).toContain('page=4');
  });

  test('a Link header says the same', async () => {
    expect((await get('name=page', long)).header('link')).toContain('rel="last"');
  });
});

test('CSV has all rows, and rejects pages', async () => {
  const response = await get('name=page', id, 'text/csv');

  expect(response.text).toBe('value,count\r\n/a,4\r\n/b,2\r\n/é,1\r\n');
  expect((await get('name=page&page=1', id, 'text/csv')).faults()).toEqual(['page not_allowed']);
});
