import { zipOf } from '@hitherto/testing/zip';
import { beforeEach, describe, expect, test } from 'vitest';
import { startImports } from '../support/imports.ts';
import { UNMEASURED, UNMEASURED_TOTALS } from '../support/unmeasured.ts';

// docs/imports.md: imports of sums of days, from Fathom.

let imports: Awaited<ReturnType<typeof startImports>>;
beforeEach(async () => {
  imports = await startImports();
});

const WITHOUT = [{ from: '2023-01-02', to: '2023-01-03', format: 'fathom' }];

const PAGEVIEWS = `datetime,hostname,pathname,referrer_hostname,referrer_pathname,utm_source,utm_medium,utm_campaign,utm_content,utm_term,browser,operating_system,device_type,country_code,state,city,visitors,uniques,pageviews
2023-01-02 09:00:00,https://www.example.com,/,https://www.google.com,/,,,,,,Chrome,OS X,Desktop,DE,Berlin,Berlin,2,2,3
2023-01-02 10:00:00,https://www.example.com,/,https://www.google.com,/,,,,,,Chrome,OS X,Desktop,DE,Berlin,Berlin,1,1,1
2023-01-02 10:00:00,https://shop.example.com,"/é, ""b""",https://blog.example.org,/post,,,,,,Firefox,Windows,Phone,FR,,,1,1,4
2023-01-03 10:00:00,https://www.example.com,/,,,letter,email,spring,,,Safari,iOS,Tablet,,,,5,4,6
`;

const EVENTS = `datetime,hostname,pathname,event_name,completions,unique_completions,value
2023-01-02 09:00:00,https://www.example.com,/,Signup,2,2,0
2023-01-02 10:00:00,https://www.example.com,/,Signup,3,1,0
2023-01-03 10:00:00,https://www.example.com,/,Order,1,1,1999
`;

const both = (pageviews = PAGEVIEWS, events = EVENTS) =>
  zipOf({ name: 'pageviews.csv', content: pageviews }, { name: 'events.csv', content: events });

/** A file of pageviews by day. */
const ofDays = (days: readonly string[]) =>
  `datetime,pageviews,visitors\n${days.map((day) => `${day} 00:00:00,4,2\n`).join('')}`;

describe('an import of the export of Fathom', () => {
  test('is recognized, alone and in a ZIP with its events', async () => {
    expect(await imports.upload(PAGEVIEWS, '?dry_run=1')).toMatchObject({
      format: 'fathom',
      hits: 14,
      days: 2,
      rows: 4,
    });

    expect(await imports.upload(both())).toMatchObject({
      format: 'fathom',
      status: 'done',
      from: '2023-01-02',
      to: '2023-01-03',
      hits: 20,
      days: 2,
      rows: 7,
      share: 1,
      skipped: [],
    });
  });

  test('shows pageviews and events exactly, at most as many visitors, and no visits', async () => {
    await imports.upload(both());

    const { data, meta } = await imports.statistics();
    expect(data).toStrictEqual({
      visitors: 9,
      visitors_at_most: true,
      visits: null,
      pageviews: 14,
      events: 6,
      bounce_rate: null,
      visit_duration: null,
      views_per_visit: null,
      ...UNMEASURED_TOTALS,
    });
    expect(meta).toMatchObject({ imported: WITHOUT, without_days: [] });
    const series = await imports.statistics<readonly object[]>('/series');
    expect(series.data.slice(1, 3)).toStrictEqual([
      { start: '2023-01-02', visitors: 4, visitors_at_most: true, visits: null, pageviews: 8, events: 5 },
      { start: '2023-01-03', visitors: 5, visits: null, pageviews: 6, events: 1 },
    ]);
  });

  test('shows values under our names', async () => {
    await imports.upload(both());

    expect(await imports.fieldsOf('source', 'visitors', 'visits', 'pageviews')).toStrictEqual([
      ['letter', 5, null, 6],
      ['Google', 3, null, 4],
      ['blog.example.org', 1, null, 4],
    ]);
    expect(await imports.fieldsOf('referrer', 'pageviews')).toStrictEqual([
      [null, 6],
      ['google.com', 4],
      ['blog.example.org/post', 4],
    ]);
    expect(await imports.fieldsOf('utm_campaign', 'pageviews')).toStrictEqual([
      ['spring', 6],
      [null, 8],
    ]);
    expect(await imports.fieldsOf('host', 'pageviews')).toStrictEqual([
      ['example.com', 10],
      ['shop.example.com', 4],
    ]);
    expect(await imports.fieldsOf('country', 'visitors')).toStrictEqual([
      [null, 5],
      ['DE', 3],
      ['FR', 1],
    ]);
    expect(await imports.fieldsOf('device', 'visitors')).toStrictEqual([
      ['tablet', 5],
      ['desktop', 3],
      ['mobile', 1],
    ]);
    expect(await imports.fieldsOf('browser', 'visitors')).toStrictEqual([
      ['Safari', 5],
      ['Chrome', 3],
      ['Firefox', 1],
    ]);
    expect(await imports.fieldsOf('os', 'visitors')).toStrictEqual([
      ['iOS', 5],
      ['macOS', 3],
      ['Windows', 1],
    ]);
    expect(await imports.fieldsOf('event', 'visitors', 'visitors_at_most', 'visits', 'events')).toStrictEqual([
      ['Signup', 3, true, null, 5],
      ['Order', 1, undefined, null, 1],
    ]);
  });

  test('takes the visitors of a page from the column that counts them', async () => {
    await imports.upload(PAGEVIEWS);

    expect(await imports.rowsOf('page')).toStrictEqual([
      { value: '/', visitors: 7, visitors_at_most: true, visits: null, pageviews: 10, ...UNMEASURED },
      { value: '/%C3%A9,%20%22b%22', visitors: 1, visits: null, pageviews: 4, ...UNMEASURED },
    ]);
  });

  test('has at most as many visitors as pageviews where the file names none', async () => {
    await imports.upload('datetime,pathname,pageviews\n2023-01-02 00:00:00,/,3\n2023-01-02 00:00:00,/b,1\n');

    expect((await imports.statistics()).data).toMatchObject({ visitors: 4, visitors_at_most: true, pageviews: 4 });
    expect(await imports.fieldsOf('page', 'visitors', 'visitors_at_most')).toStrictEqual([
      ['/', 3, true],
      ['/b', 1, undefined],
    ]);
  });

  test('by day without dimensions is exact, and leaves its days out of all lists', async () => {
    await imports.upload(ofDays(['2023-01-02', '2023-01-03']));

    expect((await imports.statistics()).data).toMatchObject({ visitors: 4, visits: null, pageviews: 8 });
    expect((await imports.statistics()).data).not.toHaveProperty('visitors_at_most');
    expect((await imports.statistics('/by/page')).meta.without_days).toStrictEqual(WITHOUT);
    expect((await imports.statistics('/by/event')).meta.without_days).toStrictEqual(WITHOUT);
  });

  test.each(['channel', 'language', 'entry_page'])('leaves its days out of the list by %s', async (dimension) => {
    await imports.upload(both());

    const { data, meta } = await imports.statistics(`/by/${dimension}`);

    expect(meta.without_days).toStrictEqual(WITHOUT);
    expect(data).toStrictEqual([]);
  });
});

describe('a file of Fathom that is faulty', () => {
  test.each([
    ['with the events alone', EVENTS, 'This file contains only events. ZIP it together with the CSV of the pageviews.'],
    [
      'with two files of pageviews',
      zipOf({ name: 'a.csv', content: PAGEVIEWS }, { name: 'b.csv', content: PAGEVIEWS }),
      'The ZIP has several files of pageviews. Import them one by one.',
    ],
    [
      'with a number that is none',
      PAGEVIEWS.replace(',2,2,3', ',2,2,three'),
      '1 of 4 rows are faulty, more than 1 %. The first one is line 2: The column "pageviews" is not a whole number, or too large: "three".',
    ],
    [
      'with a day that is none',
      both(PAGEVIEWS.replace('2023-01-03 10', '2023-01 10')),
      'The first one is pageviews.csv, line 5: "2023-01 10:00:00" is not a day.',
    ],
    [
      'with events of a day without pageviews',
      both(undefined, EVENTS.replace('2023-01-03', '2023-01-04')),
      'events.csv, line 4: The file has no numbers of the whole day 2023-01-04.',
    ],
    [
      'that is not in the order of days',
      `${PAGEVIEWS}2023-01-02 11:00:00,https://example.com,/c,,,,,,,,,,,,,,1,1,1\n`,
      'line 6: The rows of 2023-01-02 do not come together; sort them by day.',
    ],
    [
      'with the sums of weeks',
      ofDays(['2022-12-26', '2023-01-02', '2023-01-09', '2023-01-16', '2023-01-30']),
      'The file has the sums of weeks or months. Export it with the date grouping Hourly or Daily.',
    ],
    [
      'with the sums of months',
      ofDays(['2022-09-01', '2022-10-01', '2022-11-01', '2022-12-01', '2023-01-01']),
      'The file has the sums of weeks or months.',
    ],
    ['that is cut off', both().subarray(0, 300), 'The ZIP cannot be read'],
    ['that is not CSV', `${PAGEVIEWS}2023-01-03 11:00:00,"https\n`, 'The file, line 6, column hostname, is not CSV'],
  ])('%s is rejected with its place, and nothing of it counts', async (_, file, detail) => {
    const { problem, ...response } = await imports.upload(file);

    expect(problem?.detail ?? response.detail).toContain(detail);
    expect((await imports.statistics()).data).toMatchObject({ visitors: 0, pageviews: 0 });
  });
});
