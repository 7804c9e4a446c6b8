import { DIMENSIONS } from '@hitherto/domain/hits';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { UNMEASURED } from '../support/unmeasured.ts';
import { addHits, anExample } from './histories.ts';

// api.md, "Statistics": GET …/statistics/by/{dimension} and by/property.

interface ListJson {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly links: { readonly next: string | null; readonly prev: string | null };
  readonly meta: { readonly total: number };
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
    Array.from({ length: 35 }, (_, index) => ({ visitor: BigInt(index), page: index < 5 ? '/often' : `/p${index}` })),
  );
});
afterAll(() => api.app.close());

const list = (path: string, website = id, accept = 'application/json') =>
  api.send('GET', `/api/v1/websites/${website}/statistics/by/${path}`, { headers: { accept } });

describe('GET …/statistics/by/{dimension}', () => {
  test('lists pages by visitors, then by value in byte order, with pageviews', async () => {
    expect((await list('page')).json()).toEqual({
      data: [
        { value: '/a', visitors: 2, visits: 3, pageviews: 4, ...UNMEASURED },
        { value: '/b', visitors: 2, visits: 2, pageviews: 2, ...UNMEASURED },
        { value: '/é', visitors: 1, visits: 1, pageviews: 1, ...UNMEASURED },
      ],
      links: { next: null, prev: null },
      meta: { from: '2026-10-24', to: '2026-11-20', time_zone: 'UTC', without_days: [], per_page: 10, total: 3 },
    });
  });

  test('lists events with events in place of pageviews', async () => {
    expect((await list('event')).json()).toMatchObject({
      data: [{ value: 'Signup', visitors: 1, visits: 1, events: 1 }],
    });
  });

  test('lists other dimensions with rates; no value is null, and last among equals', async () => {
    const { data } = (await list('source?channel=Direct')).json<ListJson>();
    const sources = (await list('source')).json<ListJson>();

    expect(data).toEqual([
      { value: null, visitors: 2, visits: 2, pageviews: 4, bounce_rate: 0.5, visit_duration: 0, ...UNMEASURED },
    ]);
    expect(sources.data.map(({ value, visitors }) => [value, visitors])).toEqual([
      [null, 2],
      ['Google', 1],
    ]);
  });

  test('lists and filters by the hosts of first hits', async () => {
    const website = (await api.createWebsite()).id;
    await addHits(api, website, [
      { visitor: 1n, host: 'shop.example', page: '/a' },
      { visitor: 1n, host: 'example.com', page: '/b', time: new Date('2026-11-20T12:00:30.123Z') },
      { visitor: 2n, host: 'example.com' },
      { visitor: 3n, host: 'example.com' },
    ]);
    const csv = await list('host', website, 'text/csv');
    const pages = (await list('page?host=shop.example', website)).json<ListJson>();

    expect(csv.text).toBe(
      'value,visitors,visits,pageviews,bounce_rate,visit_duration,engaged_seconds,scroll_depth\r\nexample.com,2,2,2,1,0,,\r\nshop.example,1,1,2,0,30,,\r\n',
    );
    expect(pages.data.map(({ value }) => value)).toEqual(['/a', '/b']);
  });

  test('lists and filters by the networks of first hits, and a cleanup hides one', async () => {
    const website = (await api.createWebsite()).id;
    await addHits(api, website, [
      { visitor: 1n, network: 'hosting', page: '/a' },
      { visitor: 1n, page: '/b', time: new Date('2026-11-20T12:00:30.123Z') },
      { visitor: 2n },
      { visitor: 3n },
    ]);
    const preview = await api.send('POST', `/api/v1/websites/${website}/cleanups/preview`, {
      json: { filters: { network: ['hosting'] } },
    });

    const visitsOf = async (path: string) =>
      (await list(path, website)).json<ListJson>().data.map(({ value, visits }) => [value, visits]);
    expect(await visitsOf('network')).toEqual([
      [null, 2],
      ['hosting', 1],
    ]);
    expect(await visitsOf('entry_page?network=hosting')).toEqual([['/a', 1]]);
    expect(await visitsOf('network?network.not=hosting')).toEqual([[null, 2]]);
    expect(preview.json()).toMatchObject({ data: { hidden: { visits: 1, pageviews: 2 }, after: { visits: 2 } } });
  });

  test.each(DIMENSIONS)('%s is a dimension', async (dimension) => {
    expect((await list(dimension)).status).toBe(200);
  });

  test.each(['pages', 'Page', 'visitor', 'toString', ''])('%j is not a dimension: 404', async (dimension) => {
    expect((await list(dimension)).status).toBe(404);
  });
});

describe('paging', () => {
  test('a walk sees every value once, forward and back, and keeps the other parameters', async () => {
    const first = (await list('page?per_page=12&country=DE', long)).json<ListJson>();
    const pages = [first];
    for (let { next } = first.links; next !== null; ) {
      const response = await api.send('GET', next);
      expect(response.status).toBe(200);
      pages.push(response.json<ListJson>());
      next = pages.at(-1)?.links.next ?? null;
    }
    const back = (await api.send('GET', pages[2]?.links.prev ?? '')).json<ListJson>();

    expect(pages.map(({ data }) => data.length)).toEqual([12, 12, 7]);
    expect(new Set(pages.flatMap(({ data }) => data.map(({ value }) => value))).size).toBe(31);
    expect(first.meta.total).toBe(31);
    expect(back.data).toEqual(pages[1]?.data);
    expect(first.links.next).toContain('country=DE');
    expect(first.links.next).toContain('from=2026-10-24&to=2026-11-20');
  });

  test('a Link header says the same', async () => {
    const response = await list('page', long);

    expect(response.header('link')).toBe(`<${response.json<ListJson>().links.next}>; rel="next"`);
  });

  test('a cursor of another dimension, period, filter or website is rejected, and so is an altered or empty one', async () => {
    const { next } = (await list('page', long)).json<ListJson>().links;
    const cursor = new URLSearchParams(next?.split('?')[1]).get('cursor') ?? '';
    const ofOther = await api.send('GET', `/api/v1/websites/${id}/statistics/by/page?cursor=${cursor}`);
    const refused = [
      `exit_page?cursor=${cursor}`,
      `page?from=2026-11-20&to=2026-11-20&cursor=${cursor}`,
      `page?source=&cursor=${cursor}`,
      `page?cursor=${cursor.slice(0, -1)}`,
      'page?cursor=',
      'page?cursor=%00',
    ];

    expect((await list(`page?cursor=${cursor}`, long)).status).toBe(200);
    expect((await list(`page?per_page=50&cursor=${cursor}`, long)).status).toBe(200);
    expect(ofOther.faults()).toEqual(['cursor invalid_cursor']);
    for (const path of refused) expect((await list(path, long)).faults()).toEqual(['cursor invalid_cursor']);
  });

  test.each([
    ['per_page=9', 'per_page not_allowed'],
    ['per_page=101', 'per_page not_allowed'],
    ['per_page=', 'per_page not_allowed'],
    ['compare=year', 'compare unknown'],
    ['per_page=10&per_page=10', 'per_page repeated'],
  ])('%s is rejected', async (query, fault) => {
    expect((await list(`page?${query}`)).faults()).toEqual([fault]);
  });

  test('events have no engaged seconds to sort by', async () => {
    expect((await list('event?sort=engaged_seconds')).faults()).toEqual(['sort not_allowed']);
    expect((await list('event?sort=visitors')).status).toBe(200);
  });
});

describe('GET …/statistics/by/property', () => {
  test('takes ten filters next to the event that names the list', async () => {
    const ten = 'channel=a&country=b&browser=c&os=d&device=e&page=f&entry_page=g&exit_page=h&language=i&referrer=j';

    expect((await list(`property?event=Signup&property=plan&${ten}`)).status).toBe(200);
    expect((await list(`property?event=Signup&property=plan&${ten}&source=k`)).faults()).toEqual(['source too_many']);
  });

  test('lists the values of a property as text', async () => {
    const plans = (await list('property?event=Signup&property=plan')).json<ListJson>();
    const seats = (await list('property?event=Signup&property=seats')).json<ListJson>();

    expect(plans.data).toEqual([{ value: 'pro', visitors: 1, visits: 1, events: 1 }]);
    expect(seats.data).toMatchObject([{ value: '3' }]);
  });

  test('hits without the property are left out, and filters choose the visits', async () => {
    const other = (await list('property?event=Signup&property=other')).json<ListJson>();
    const filtered = (await list('property?event=Signup&property=plan&source=')).json<ListJson>();

    expect([other.data, filtered.data]).toEqual([[], []]);
  });

  test('both parameters are required', async () => {
    expect((await list('property')).faults().toSorted()).toEqual(['event required', 'property required']);
  });
});

describe('Accept: text/csv', () => {
  test('is the whole list, with columns named like the fields and an empty cell for no value', async () => {
    expect((await list('source', id, 'text/csv')).text).toBe(
      'value,visitors,visits,pageviews,bounce_rate,visit_duration,engaged_seconds,scroll_depth\r\n,2,2,4,0.5,0,,\r\nGoogle,1,1,3,0,184.5,,\r\n',
    );
    expect((await list('event', id, 'text/csv')).text).toBe('value,visitors,visits,events\r\nSignup,1,1,1\r\n');
    expect((await list('page', long, 'text/csv')).text.split('\r\n')).toHaveLength(33);
  });

  test('a cell that a spreadsheet would evaluate gets an apostrophe in front', async () => {
    const website = await api.createWebsite();
    await addHits(api, website.id, [{ source: '=HYPERLINK("https://evil.example","x")' }]);

    expect((await list('source', website.id, 'text/csv')).text).toContain(
      '"\'=HYPERLINK(""https://evil.example"",""x"")",1,',
    );
  });

  test('per_page and cursor are rejected', async () => {
    expect((await list('page?per_page=10&cursor=x', id, 'text/csv')).faults()).toEqual([
      'per_page not_allowed',
      'cursor not_allowed',
    ]);
  });

  test('has at most 5,000 rows below its header', async () => {
    const website = await api.createWebsite();
    const hits = Array.from({ length: 5_001 }, (_, index) => ({ visitor: BigInt(index), page: `/p${index}` }));
    await addHits(api, website.id, hits);

    const lines = (await list('page', website.id, 'text/csv')).text.trimEnd().split('\r\n');

    expect(lines).toHaveLength(1 + 5_000);
  });
});
