import { type Entry, zipOf } from '@hitherto/testing/zip';
import { beforeEach, describe, expect, test } from 'vitest';
import { startImports } from '../support/imports.ts';
import { UNMEASURED, UNMEASURED_TOTALS } from '../support/unmeasured.ts';

// docs/imports.md: imports of sums of days, from GoatCounter's JSON export.

let imports: Awaited<ReturnType<typeof startImports>>;
beforeEach(async () => {
  imports = await startImports();
});

const WITHOUT = [{ from: '2023-01-02', to: '2023-01-03', format: 'goatcounter' }];

/** The files of an export with two days, as GoatCounter writes them. */
const FILES: Readonly<Record<string, string>> = {
  'info.json': `{
  "export_version": "1.0",
  "goatcounter_version": "2.7",
  "created_for": "blog.example.com",
  "created_by": "user_id=1 <me@example.com>",
  "created_at": "2026-03-07T16:49:27Z"
}
`,
  'paths.jsonl': `{"id":211,"path":"/","title":"Home page"}
{"id":215,"path":"/é?a=\\"1\\"","title":"B"}
{"id":300,"path":"click-banana","title":"Yellow","event":true}
`,
  'refs.jsonl': `{"id":1,"ref":"","ref_scheme":"o"}
{"id":2,"ref":"Google","ref_scheme":"g"}
{"id":3,"ref":"old.reddit.com/r/x","ref_scheme":"h"}
{"id":4,"ref":"letter","ref_scheme":"c"}
{"id":5,"ref":"https://example.org/page?x=1","ref_scheme":"c"}
`,
  'browsers.jsonl': `{"id":1,"name":"Chrome","version":"108"}
{"id":2,"name":"Chrome","version":"109"}
{"id":3,"name":"","version":""}
`,
  'systems.jsonl': `{"id":1,"name":"macOS","version":"10.15"}
{"id":2,"name":"Linux","version":"Ubuntu"}
`,
  'locations.jsonl': `{"country":"","region":"","country_name":"(unknown)","region_name":""}
`,
  'languages.jsonl': `{"iso_639_3":"deu","name":"German"}
`,
  'browser_stats.jsonl': `{"day":"2023-01-02","path_id":211,"browser_id":1,"count":3}
{"day":"2023-01-02","path_id":215,"browser_id":2,"count":2}
{"day":"2023-01-02","path_id":300,"browser_id":1,"count":2}
{"day":"2023-01-03","path_id":211,"browser_id":3,"count":1}
`,
  'system_stats.jsonl': `{"day":"2023-01-02","path_id":211,"system_id":1,"count":5}
{"day":"2023-01-03","path_id":211,"system_id":2,"count":1}
`,
  'location_stats.jsonl': `{"day":"2023-01-02","path_id":211,"location":"RO-B","count":4}
{"day":"2023-01-02","path_id":211,"location":"RO-CJ","count":1}
{"day":"2023-01-03","path_id":211,"location":"","count":1}
`,
  'size_stats.jsonl': `{"day":"2023-01-02","path_id":211,"width":1280,"count":5}
`,
  'language_stats.jsonl': `{"day":"2023-01-02","path_id":211,"language":"deu","count":4}
{"day":"2023-01-03","path_id":211,"language":"","count":1}
`,
  'hit_stats.jsonl': `{"hour":"2023-01-02T09:00:00Z","path_id":211,"ref_id":2,"count":3}
{"hour":"2023-01-02T23:00:00Z","path_id":211,"ref_id":1,"count":1}
{"hour":"2023-01-02T23:00:00Z","path_id":215,"ref_id":3,"count":1}
{"hour":"2023-01-02T23:00:00Z","path_id":300,"ref_id":1,"count":2}
{"hour":"2023-01-03T00:00:00Z","path_id":211,"ref_id":4,"count":1}
{"hour":"2023-01-03T01:00:00Z","path_id":215,"ref_id":5,"count":1}
`,
};

/** The ZIP of an export, with these files in the place of others; `undefined` leaves one out. */
function goatCounterExport(changed: Readonly<Record<string, string | undefined>> = {}): Buffer {
  const entries = Object.entries({ ...FILES, ...changed });
  return zipOf(
    ...entries.flatMap(([name, content]): Entry[] =>
      content === undefined ? [] : [{ name: `goatcounter-export-blog-20260307T164927Z/${name}`, content }],
    ),
  );
}

const hits = FILES['hit_stats.jsonl'] ?? '';

describe("an import of GoatCounter's JSON export", () => {
  test('is recognized, and done', async () => {
    expect(await imports.upload(goatCounterExport())).toMatchObject({
      format: 'goatcounter',
      status: 'done',
      from: '2023-01-02',
      to: '2023-01-03',
      hits: 9,
      days: 2,
      rows: 17,
      share: 1,
      skipped: [],
    });
  });

  test('has visits of paths as pageviews, at most as many visitors, and no visits of days', async () => {
    await imports.upload(goatCounterExport(), '?format=goatcounter');

    const { data, meta } = await imports.statistics();
    expect(data).toStrictEqual({
      visitors: 9,
      visitors_at_most: true,
      visits: null,
      pageviews: 7,
      events: 2,
      bounce_rate: null,
      visit_duration: null,
      views_per_visit: null,
      ...UNMEASURED_TOTALS,
    });
    expect(meta).toMatchObject({ imported: WITHOUT, without_days: [] });
    const series = await imports.statistics<readonly object[]>('/series');
    expect(series.data.slice(1, 3)).toStrictEqual([
      { start: '2023-01-02', visitors: 7, visitors_at_most: true, visits: null, pageviews: 5, events: 2 },
      { start: '2023-01-03', visitors: 2, visitors_at_most: true, visits: null, pageviews: 2, events: 0 },
    ]);
  });

  test('shows the visits of pages and events exactly', async () => {
    await imports.upload(goatCounterExport());

    expect(await imports.rowsOf('page')).toStrictEqual([
      { value: '/', visitors: 5, visitors_at_most: true, visits: 5, pageviews: 5, ...UNMEASURED },
      { value: '/%C3%A9?a=%221%22', visitors: 2, visits: 2, pageviews: 2, ...UNMEASURED },
    ]);
    expect(await imports.rowsOf('event')).toStrictEqual([
      { value: 'click-banana', visitors: 2, visitors_at_most: true, visits: 2, events: 2 },
    ]);
  });

  test('shows values under our names', async () => {
    await imports.upload(goatCounterExport());

    expect(await imports.fieldsOf('source', 'visitors', 'visits', 'pageviews')).toStrictEqual([
      ['Google', 3, null, 3],
      [null, 3, null, 1],
      ['Reddit', 1, null, 1],
      ['example.org', 1, null, 1],
      ['letter', 1, null, 1],
    ]);
    expect(await imports.fieldsOf('referrer', 'pageviews')).toStrictEqual([
      [null, 5],
      ['example.org/page', 1],
      ['old.reddit.com/r/x', 1],
    ]);
    expect(await imports.fieldsOf('utm_source', 'pageviews')).toStrictEqual([
      [null, 6],
      ['letter', 1],
    ]);
    expect(await imports.fieldsOf('browser', 'visitors', 'pageviews')).toStrictEqual([
      ['Chrome', 7, 5],
      [null, 1, 1],
    ]);
    expect(await imports.fieldsOf('os', 'pageviews')).toStrictEqual([
      ['macOS', 5],
      ['Linux', 1],
    ]);
    expect(await imports.fieldsOf('country', 'pageviews')).toStrictEqual([
      ['RO', 5],
      [null, 1],
    ]);
    expect(await imports.fieldsOf('language', 'pageviews')).toStrictEqual([
      ['de', 4],
      [null, 1],
    ]);
  });

  test.each(['device', 'utm_campaign', 'entry_page', 'host'])('leaves its days out of the list by %s', async (name) => {
    await imports.upload(goatCounterExport());

    expect(await imports.statistics(`/by/${name}`)).toMatchObject({ data: [], meta: { without_days: WITHOUT } });
  });

  test('leaves out lists that GoatCounter was not told to collect', async () => {
    await imports.upload(goatCounterExport({ 'language_stats.jsonl': '' }));

    expect((await imports.statistics('/by/language')).meta.without_days).toStrictEqual(WITHOUT);
    expect((await imports.statistics('/by/country')).meta.without_days).toStrictEqual([]);
  });
});

describe('a JSON export of GoatCounter that is faulty', () => {
  test.each([
    [
      'of an unknown version',
      { 'info.json': '{"export_version":"2.0"}' },
      'info.json: The version "2.0" of GoatCounter\'s export is not known; 1.0 is.',
    ],
    [
      'without a file',
      { 'refs.jsonl': undefined },
      "The ZIP has no refs.jsonl, which belongs to GoatCounter's JSON export.",
    ],
    ['with a list that is not a JSON', { 'paths.jsonl': '{"id":1\n' }, 'paths.jsonl, line 1, is not a JSON object.'],
    [
      'with a row that is not a JSON',
      { 'hit_stats.jsonl': `${hits}{"hour"\n` },
      'The first one is hit_stats.jsonl, line 7: This is not a JSON object.',
    ],
    [
      'with a count that is none',
      { 'hit_stats.jsonl': hits.replace('"count":3', '"count":-3') },
      'The first one is hit_stats.jsonl, line 1: The count is not a whole number, or too large: -3.',
    ],
    [
      'with a path that is not listed',
      { 'browser_stats.jsonl': '{"day":"2023-01-02","path_id":999,"browser_id":1,"count":3}\n' },
      'The first one is browser_stats.jsonl, line 1: The path_id 999 is not in paths.jsonl.',
    ],
    [
      'with a referrer that is not listed',
      { 'hit_stats.jsonl': hits.replace('"ref_id":4', '"ref_id":44') },
      'hit_stats.jsonl, line 5: The ref_id 44 is not in refs.jsonl.',
    ],
    [
      'with an hour that is none',
      { 'hit_stats.jsonl': hits.replace('2023-01-03T00', '2023-01-33T00') },
      'hit_stats.jsonl, line 5: "2023-01-33" is not a day.',
    ],
    [
      'with a day without hits',
      { 'system_stats.jsonl': '{"day":"2023-01-04","path_id":211,"system_id":1,"count":5}\n' },
      'system_stats.jsonl, line 1: The file has no numbers of the whole day 2023-01-04.',
    ],
  ])('%s is rejected with its place, and nothing of it counts', async (_, changed, detail) => {
    const { problem, ...response } = await imports.upload(goatCounterExport(changed));

    expect(problem?.detail ?? response.detail).toContain(detail);
    expect((await imports.statistics()).data).toMatchObject({ visitors: 0, pageviews: 0 });
  });
});
