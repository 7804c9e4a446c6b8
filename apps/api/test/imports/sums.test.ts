import { PLAUSIBLE_TABLES, plausibleExport } from '@hitherto/testing/plausible-export';
import { zipOf } from '@hitherto/testing/zip';
import { beforeEach, describe, expect, test } from 'vitest';
import { PERIOD, type Statistics, startImports } from '../support/imports.ts';
import { UNMEASURED, UNMEASURED_TOTALS } from '../support/unmeasured.ts';

// docs/imports.md: imports of sums of days, from Plausible.

let imports: Awaited<ReturnType<typeof startImports>>;
beforeEach(async () => {
  imports = await startImports();
});

const WITHOUT = [{ from: '2023-01-02', to: '2023-01-03', format: 'plausible' }];

describe('an import of the export of Plausible', () => {
  test('is done, with its pageviews and events as hits', async () => {
    expect(await imports.upload(plausibleExport())).toMatchObject({
      format: 'plausible',
      status: 'done',
      from: '2023-01-02',
      to: '2023-01-03',
      hits: 19,
      days: 2,
      rows: 28,
      share: 1,
      skipped: [
        {
          reason: 'not_counted',
          rows: 1,
          example: 'imported_custom_events_20230102_20230103.csv, line 5: "engagement" is a measurement, and no event.',
        },
      ],
    });
  });

  test('shows the numbers of days as they are in the file', async () => {
    await imports.upload(plausibleExport());

    const { data, meta } = await imports.statistics();
    expect(data).toStrictEqual({
      visitors: 5,
      visits: 7,
      pageviews: 13,
      events: 6,
      bounce_rate: 0.4286,
      visit_duration: 10,
      views_per_visit: 1.86,
      ...UNMEASURED_TOTALS,
    });
    expect(meta).toMatchObject({ imported: WITHOUT, without_days: [] });
    const series = await imports.statistics<readonly object[]>('/series');
    expect(series.data.slice(1, 3)).toStrictEqual([
      { start: '2023-01-02', visitors: 3, visits: 5, pageviews: 9, events: 6 },
      { start: '2023-01-03', visitors: 2, visits: 2, pageviews: 4, events: 0 },
    ]);
  });

  test('shows values under our names', async () => {
    await imports.upload(plausibleExport());

    expect(await imports.rowsOf('page')).toStrictEqual([
      { value: '/', visitors: 5, visits: 6, pageviews: 10, ...UNMEASURED },
      { value: '/%C3%A9,%20%22b%22', visitors: 1, visits: 1, pageviews: 3, ...UNMEASURED },
    ]);
    expect(await imports.rowsOf('exit_page')).toStrictEqual([
      { value: '/', visitors: 5, visits: 7, pageviews: 13, bounce_rate: 0.4286, visit_duration: 10, ...UNMEASURED },
    ]);
    expect(await imports.fieldsOf('browser', 'visits')).toStrictEqual([
      ['Edge', 5],
      ['Ecosia Browser', 2],
    ]);
    expect(await imports.fieldsOf('os', 'visits')).toStrictEqual([
      ['macOS', 5],
      [null, 2],
    ]);
    expect(await imports.fieldsOf('utm_campaign', 'visits')).toStrictEqual([
      [null, 5],
      ['spring', 2],
    ]);
    expect(await imports.fieldsOf('referrer', 'visits')).toStrictEqual([
      ['google.com/', 4],
      [null, 3],
    ]);
  });

  test('shows pages as collected ones, whether or not their paths are decoded or end with a slash', async () => {
    const header = 'date,hostname,page,visits,visitors,pageviews\n';
    const paths = ['/über/uns/', '/%C3%BCber/uns', '/100%', '/a b', '/#/route', '(none)', '/x.html'];
    const rows = paths.map((path) => `2023-01-02,example.com,${path},1,1,1\n`).join('');

    await imports.upload(plausibleExport({ imported_pages: header + rows }));

    const pages = await imports.fieldsOf('page', 'pageviews');
    expect(pages.toSorted()).toStrictEqual([
      ['(none)', 1],
      ['/#/route', 1],
      ['/%C3%BCber/uns', 2],
      ['/100%25', 1],
      ['/a%20b', 1],
      ['/x.html', 1],
    ]);
  });

  test('adds finer rows up: visits exactly, visitors at most, and never more than on the day', async () => {
    await imports.upload(plausibleExport());

    expect(await imports.rowsOf('source')).toStrictEqual([
      {
        value: 'Google',
        visitors: 3,
        visits: 4,
        pageviews: 6,
        bounce_rate: 0.25,
        visit_duration: 15,
        visitors_at_most: true,
        ...UNMEASURED,
      },
      { value: null, visitors: 3, visits: 3, pageviews: 7, bounce_rate: 0.6667, visit_duration: 3.3, ...UNMEASURED },
    ]);
    expect(await imports.fieldsOf('country', 'visitors', 'visitors_at_most')).toStrictEqual([
      ['DE', 3, true],
      ['FR', 2, undefined],
    ]);
    expect(await imports.fieldsOf('device', 'visitors', 'visitors_at_most')).toStrictEqual([
      ['desktop', 2, true],
      ['tablet', 2, undefined],
      ['mobile', 1, undefined],
    ]);
  });

  test('does not know the visits of an event', async () => {
    await imports.upload(plausibleExport());

    expect(await imports.rowsOf('event')).toStrictEqual([
      { value: 'Outbound link', visitors: 2, visits: null, events: 4, visitors_at_most: true },
      { value: 'Signup', visitors: 2, visits: null, events: 2 },
    ]);
    const csv = await imports.api.send('GET', `/api/v1/websites/${imports.id}/statistics/by/event?${PERIOD}`, {
      headers: { accept: 'text/csv' },
    });
    expect(csv.text).toBe('value,visitors,visits,events\r\nOutbound link,2,,4\r\nSignup,2,,2\r\n');
  });

  test.each([
    ['', '&country=DE'],
    ['/series', '&page=/'],
    ['/by/page', '&source=Google'],
    ['/by/channel', ''],
    ['/by/language', ''],
    ['/by/host', ''],
    ['/by/property', '&event=Signup&property=plan'],
    ['/goals', ''],
  ])('names the days that %s%s leaves out', async (path, query) => {
    await imports.upload(plausibleExport());

    const { data, meta } = await imports.statistics<unknown>(path, query);

    expect(meta.without_days).toStrictEqual(WITHOUT);
    expect(JSON.stringify(data)).not.toMatch(/"visitors":[1-9]/);
  });

  test('has no hours', async () => {
    await imports.upload(plausibleExport());

    const path = `/api/v1/websites/${imports.id}/statistics/series?from=2023-01-03&to=2023-01-04`;
    const { meta } = (await imports.api.send('GET', `${path}&interval=hour`)).json<Statistics<object>>();

    expect(meta.without_days).toStrictEqual([{ ...WITHOUT[0], from: '2023-01-03' }]);
  });

  test('leaves its days out of the rates of goals', async () => {
    await imports.upload(plausibleExport());
    const body = { name: 'Signup', event: 'Signup' };
    const goal = (await imports.api.send('POST', `/api/v1/websites/${imports.id}/goals`, { json: body })).json<{
      data: { id: string };
    }>().data;

    const { data, meta } = await imports.statistics('', `&conversion=${goal.id}`);

    expect(data).toMatchObject({ visitors: 0, converted: { visitors: 0, conversion_rate: null } });
    expect(meta.without_days).toStrictEqual(WITHOUT);
  });

  test('can be imported until a day, once, and be taken out again', async () => {
    const first = await imports.upload(plausibleExport(), '?until=2023-01-02');
    expect(first).toMatchObject({ days: 1, to: '2023-01-02' });
    expect((await imports.statistics()).data).toMatchObject({ visitors: 3, events: 6 });

    expect(await imports.upload(plausibleExport())).toMatchObject({ id: first.id });
    await imports.api.send('DELETE', `/api/v1/websites/${imports.id}/imports/${first.id}`);

    expect((await imports.statistics()).data).toMatchObject({ visitors: 0, events: 0 });
    expect((await imports.statistics('/by/page')).data).toStrictEqual([]);
  });

  test('says what it would do', async () => {
    expect(await imports.upload(plausibleExport(), '?dry_run=1')).toMatchObject({ id: null, hits: 19, days: 2 });
    expect((await imports.statistics()).data).toMatchObject({ visitors: 0 });
  });

  test('does without tables, whose lists leave its days out', async () => {
    await imports.upload(plausibleExport({ imported_locations: undefined }));

    expect((await imports.statistics('/by/country')).meta.without_days).toStrictEqual(WITHOUT);
    expect((await imports.statistics('/by/browser')).meta.without_days).toStrictEqual([]);
  });

  test('leaves out tables that have no numbers of visits', async () => {
    const props = 'date,property,value,visitors,events\n2023-01-02,plan,pro,1,1\n';

    const { status, skipped } = await imports.upload(plausibleExport({ imported_custom_props: props }));

    expect(status).toBe('done');
    expect(skipped).toMatchObject([{ reason: 'not_counted', rows: 2 }]);
  });
});

describe('a file of Plausible that is faulty', () => {
  const { imported_visitors: visitors = '', imported_pages: pages = '' } = PLAUSIBLE_TABLES;
  const entry = (name: string) => `imported_${name}_20230102_20230103.csv`;

  test.each([
    [
      'without a column',
      { imported_pages: pages.replace('visitors', 'people') },
      `${entry('pages')}, line 1: The column "visitors" is missing.`,
    ],
    [
      'with a number that is none',
      { imported_pages: pages.replace('4,3,6', '4,-3,6') },
      `1 of 28 rows are faulty, more than 1 %. The first one is ${entry('pages')}, line 2: The column "visitors" is not a whole number, or too large: "-3".`,
    ],
    [
      'with a day that is none',
      { imported_pages: pages.replace('2023-01-03', '2023-02-30') },
      `The first one is ${entry('pages')}, line 4: "2023-02-30" is not a day.`,
    ],
    [
      'with a day that imported_visitors lacks',
      { imported_pages: pages.replace('2023-01-03', '2023-01-04') },
      `${entry('pages')}, line 4: The file has no numbers of the whole day 2023-01-04.`,
    ],
    [
      'with a day in the future',
      { imported_visitors: `${visitors}2043-01-01,1,1,1,1,1\n` },
      `${entry('visitors')}, line 4: 2043-01-01 is in the future.`,
    ],
    [
      'with rows of a day apart from each other',
      { imported_pages: `${pages}2023-01-02,example.com,/c,1,1,1,0,0\n` },
      `${entry('pages')}, line 5: The rows of 2023-01-02 do not come together; sort them by day.`,
    ],
    [
      'that is not CSV',
      { imported_pages: `${pages}2023-01-03,example.com,"/c,1,1,1,0,0\n` },
      `${entry('pages')}, line 5, column page, is not CSV`,
    ],
  ])('%s is rejected with its place, and nothing of it counts', async (_, changed, detail) => {
    const { problem, ...response } = await imports.upload(plausibleExport(changed));

    expect(problem?.detail ?? response.detail).toContain(detail);
    expect((await imports.statistics()).data).toMatchObject({ visitors: 0, pageviews: 0 });
  });

  test('has an unknown format without imported_visitors', async () => {
    const body = zipOf({ name: entry('pages'), content: pages });
    const headers = { 'content-type': 'application/octet-stream' };
    const response = await imports.api.send('POST', `/api/v1/websites/${imports.id}/imports`, { body, headers });

    expect(response.status).toBe(422);
    expect(response.text).toContain('Unknown file format');
  });
});
