import { afterAll, describe, expect, test } from 'vitest';
import { aHit, asc, DOCUMENTED_FILTERS, desc, is, rows, rowsOf, startSite, TODAY, YESTERDAY } from './site.ts';

// The examples of the reference of Plausible's Stats API, each with the documented shape of its response.

const SITE = 'dummy.site';
const { api, query, get } = await startSite({
  name: SITE,
  website: { url: 'https://dummy.site' },
  hits: [
    aHit(1n, YESTERDAY, '01:00', {
      page: '/pricing',
      country: 'EE',
      os: 'Linux',
      source: 'Google',
      utmSource: 'google',
    }),
    aHit(1n, YESTERDAY, '01:04', { name: 'Signup', page: '/docs', country: 'EE', props: { is_customer: true } }),
    aHit(2n, YESTERDAY, '02:00', { page: '/Blog/a', country: 'DE', os: 'macOS', utmMedium: 'email' }),
    aHit(2n, YESTERDAY, '02:01', {
      name: 'Download',
      page: '/Blog/a',
      country: 'DE',
      props: { is_customer: false, method: 'HTTP' },
    }),
    aHit(3n, TODAY, '08:00', { page: '/', os: 'Windows' }),
  ],
  goals: [
    { name: 'Signup', event: 'Signup' },
    { name: 'Download', event: 'Download' },
    { name: 'A price', page: '/pricing' },
  ],
});
afterAll(() => api.app.close());

const range = [expect.stringMatching(/T00:00:00\+00:00$/), expect.stringMatching(/T23:59:59\+00:00$/)];
interface Example {
  readonly body: Readonly<Record<string, unknown>>;
  readonly results: ReturnType<typeof rows>;
  readonly meta?: object;
  readonly order?: unknown;
  readonly ranges?: unknown;
}

const EXAMPLES: readonly [name: string, example: Example][] = [
  ['a simple aggregate', { body: { metrics: ['visitors', 'events'], date_range: '7d' }, results: [[2, 4]] }],
  [
    'a custom date range',
    {
      body: { date_range: ['2024-08-01', '2024-08-15'] },
      results: [[0]],
      ranges: ['2024-08-01T00:00:00+00:00', '2024-08-15T23:59:59+00:00'],
    },
  ],
  [
    'countries, without cities',
    {
      body: {
        metrics: ['visitors', 'pageviews', 'bounce_rate'],
        date_range: '7d',
        filters: [['is_not', 'visit:country_name', ['']]],
        dimensions: ['visit:country_name'],
      },
      results: rows(['Estonia', 1, 1, 0], ['Germany', 1, 1, 0]),
    },
  ],
  [
    'medium and source',
    {
      body: {
        metrics: ['visitors', 'events', 'pageviews'],
        date_range: '7d',
        dimensions: ['visit:utm_medium', 'visit:utm_source'],
      },
      results: rows(['(not set)', 'google', 1, 2, 1], ['email', '(not set)', 1, 2, 1]),
    },
  ],
  ['filters by page and country', { body: { date_range: '7d', filters: DOCUMENTED_FILTERS }, results: [[1]] }],
  [
    'a filter without case',
    {
      body: { date_range: '7d', filters: [['contains', 'event:page', ['blog'], { case_sensitive: false }]] },
      results: [[1]],
    },
  ],
  [
    'a time series',
    {
      body: {
        metrics: ['visitors', 'events'],
        date_range: '7d',
        filters: [is('visit:os', 'GNU/Linux', 'Mac')],
        dimensions: ['time:day'],
      },
      results: [[YESTERDAY, 2, 4]],
      order: [asc('time:day'), desc('visitors')],
    },
  ],
  [
    'a time series by the hour, with labels',
    {
      body: { date_range: 'day', dimensions: ['time:hour'], include: { time_labels: true } },
      results: [[`${TODAY} 08:00:00`, 1]],
      meta: {
        time_labels: expect.arrayContaining([expect.stringMatching(/ 00:00:00$/), expect.stringMatching(/ 23:00:00$/)]),
      },
      order: [asc('time:hour'), desc('visitors')],
    },
  ],
  [
    'custom properties by day',
    {
      body: {
        date_range: '7d',
        dimensions: ['time:day', 'event:props:is_customer'],
        order_by: [asc('time:day'), desc('event:props:is_customer')],
      },
      results: rows([YESTERDAY, 'true', 1], [YESTERDAY, 'false', 1]),
      order: [asc('time:day'), desc('event:props:is_customer')],
    },
  ],
  [
    'pages of rows',
    {
      body: {
        metrics: ['visitors', 'events', 'pageviews'],
        date_range: '7d',
        dimensions: ['visit:utm_medium', 'visit:utm_source'],
        include: { total_rows: true },
        pagination: { limit: 3, offset: 1 },
      },
      results: [['email', '(not set)', 1, 2, 1]],
      meta: { total_rows: 2 },
    },
  ],
  [
    'imported data',
    {
      body: { date_range: 'all', dimensions: ['visit:source'], include: { imports: true } },
      results: rows(['Direct / None', 2], ['Google', 1]),
      meta: { imports_included: false, imports_skip_reason: expect.any(String) },
    },
  ],
  [
    'imported data that cannot be included',
    {
      body: {
        date_range: 'all',
        dimensions: ['visit:source'],
        filters: [is('visit:country_name', 'Estonia')],
        include: { imports: true },
      },
      results: [['Google', 1]],
      meta: { imports_included: false, imports_skip_reason: expect.any(String) },
    },
  ],
  [
    'behavioral filters',
    {
      body: {
        date_range: 'all',
        filters: [is('event:goal', 'Signup'), ['has_done', is('event:page', '/pricing')]],
      },
      results: [[1]],
    },
  ],
];

describe('the documented examples of version 2', () => {
  test.each(EXAMPLES)(
    '%s',
    async (_, { body: sent, results, meta = {}, order = [desc('visitors')], ranges = range }) => {
      const { status, body } = await query(sent);

      expect(status, JSON.stringify(body)).toBe(200);
      const { metrics = ['visitors'], dimensions = [], filters = [], include = {}, pagination = {} } = sent;
      expect(body).toEqual({
        results: body.results.map(() => ({ dimensions: expect.any(Array), metrics: expect.any(Array) })),
        meta: expect.objectContaining(meta),
        query: {
          site_id: SITE,
          metrics,
          date_range: ranges,
          filters,
          dimensions,
          order_by: order,
          include,
          pagination: { limit: 10_000, offset: 0, ...Object(pagination) },
        },
      });
      expect(rowsOf(body)).toEqual(results);
      expect(Object.keys(body.meta).filter((key) => key !== 'metric_warnings')).toEqual(Object.keys(meta));
    },
  );

  test.each<[string, string, object]>([
    ['cities', 'visit:city_name', { date_range: '7d', dimensions: ['visit:country_name', 'visit:city_name'] }],
    ['revenue', 'total_revenue', { date_range: 'all', metrics: ['total_revenue'], dimensions: ['event:goal'] }],
    ['segments by number', 'segment', { date_range: '7d', filters: [['is', 'segment', [2]]] }],
    ['regular expressions', 'matches', { date_range: '7d', filters: [['matches', 'event:page', ['^/user/\\d+$']]] }],
    ['the last 24 hours', 'whole days', { date_range: '24h' }],
  ])('%s return 400, which names it', async (_, named, sent) => {
    const { status, body } = await query(sent);

    expect([status, Object.keys(body)]).toEqual([400, ['error']]);
    expect(body.error).toContain(named);
  });
});

describe('date-times', () => {
  const at = (day: string, time: string) => `${day}T${time}+00:00`;

  test('of whole days are these days', async () => {
    const times = await query({ date_range: [at(YESTERDAY, '00:00:00'), at(TODAY, '23:59:59')] });
    const days = await query({ date_range: [YESTERDAY, TODAY] });
    const offset = await query({ date_range: [`${YESTERDAY}T02:00:00+02:00`, `${YESTERDAY}T19:59:59.999-04:00`] });

    expect(times.body).toEqual(days.body);
    expect(offset.body.query.date_range).toEqual([at(YESTERDAY, '00:00:00'), at(YESTERDAY, '23:59:59')]);
  });

  test('of whole hours are answered by the hour', async () => {
    const hours = [at(YESTERDAY, '02:00:00'), at(TODAY, '08:59:59')];
    const ask = { metrics: ['visitors', 'pageviews', 'events'], date_range: hours, include: { time_labels: true } };
    const { body } = await query({ ...ask, dimensions: ['time:hour'] });
    const same = await query({ ...ask, dimensions: ['time'] });

    expect(body.results).toEqual([
      { dimensions: [`${YESTERDAY} 02:00:00`], metrics: [1, 1, 2] },
      { dimensions: [`${TODAY} 08:00:00`], metrics: [1, 1, 1] },
    ]);
    expect(body.query.date_range).toEqual(hours);
    expect([body.meta.time_labels.length, body.meta.time_labels[0]]).toEqual([31, `${YESTERDAY} 02:00:00`]);
    expect(same.body.results).toEqual(body.results);
  });

  test.each([
    ['time:hour', [at(YESTERDAY, '02:00:00'), at(YESTERDAY, '08:59:59')]],
    ['whole days or hours', [at(YESTERDAY, '02:00:00'), at(YESTERDAY, '08:05:00')]],
    ['ends before', [at(YESTERDAY, '02:00:00'), at(YESTERDAY, '01:59:59')]],
    ['ends before', [at(YESTERDAY, '25:00:00'), at(YESTERDAY, '26:59:59')]],
    ['two times', [at(YESTERDAY, '02:00:00'), YESTERDAY]],
  ])('that our numbers cannot answer return 400: %s', async (named, date_range) => {
    const { status, body } = await query({ date_range });

    expect([status, body.error]).toEqual([400, expect.stringContaining(named)]);
  });
});

describe('include.comparisons', () => {
  const compare = (mode: object) => ({ include: { comparisons: mode } });
  const previous = compare({ mode: 'previous_period' });

  test('adds the totals of the period before, and the change', async () => {
    const metrics = ['visitors', 'pageviews', 'bounce_rate'];
    const { body } = await query({ ...previous, metrics, date_range: 'day' });
    const earlier = await query({ metrics, date_range: [YESTERDAY, YESTERDAY] });

    expect(body.results).toEqual([
      {
        dimensions: [],
        metrics: [1, 1, 100],
        comparison: { dimensions: [], metrics: earlier.body.results[0].metrics, change: [-50, -50, null] },
      },
    ]);
    expect(body.query.include).toEqual(previous.include);
  });

  test('adds to values the same ones, and to intervals those at the same place, empty ones too', async () => {
    const values = await query({ ...previous, date_range: 'day', dimensions: ['visit:source'] });
    const custom = compare({ mode: 'custom', date_range: [YESTERDAY, TODAY] });
    const days = await query({ ...custom, date_range: ['2024-08-01', '2024-08-02'], dimensions: ['time:day'] });

    expect(values.body.results).toEqual([
      {
        dimensions: ['Direct / None'],
        metrics: [1],
        comparison: { dimensions: ['Direct / None'], metrics: [1], change: [0] },
      },
    ]);
    expect(days.body.results).toEqual([
      {
        dimensions: ['2024-08-01'],
        metrics: [0],
        comparison: { dimensions: [YESTERDAY], metrics: [2], change: [-100] },
      },
      { dimensions: ['2024-08-02'], metrics: [0], comparison: { dimensions: [TODAY], metrics: [1], change: [-100] } },
    ]);
  });

  test('compares with a year earlier', async () => {
    const { body } = await query({ ...compare({ mode: 'year_over_year' }), date_range: 'day' });

    expect(body.results).toEqual([
      { dimensions: [], metrics: [1], comparison: { dimensions: [], metrics: [0], change: [100] } },
    ]);
  });

  // The days of each comparison are those that Plausible's own tests expect.
  test.each<[string, string[], string[], string]>([
    ['a year earlier, the days after', ['2023-01-01', '2023-03-01'], ['2022-01-02', '2022-03-02'], 'year_over_year'],
    ['the period before as it is', ['2023-02-01', '2023-02-28'], ['2023-01-04', '2023-01-31'], 'previous_period'],
    ['nearer days after its own start', ['2023-01-01', '2023-01-31'], ['2022-12-04', '2023-01-03'], 'previous_period'],
    ['not its own first day', ['2023-03-01', '2023-03-02'], ['2023-02-22', '2023-02-23'], 'previous_period'],
  ])('matches the day of the week: %s', async (_, dates, compared, mode) => {
    const { status, body } = await query({
      ...compare({ mode, match_day_of_week: true }),
      date_range: dates,
      dimensions: ['time:day'],
    });

    expect([status, body.error]).toEqual([200, undefined]);
    const days: string[] = body.results.map(
      (row: { comparison: { dimensions: string[] } }) => row.comparison.dimensions[0],
    );
    expect([days[0], days.at(-1)]).toEqual(compared);
  });

  test.each<[string, object]>([
    ['mode', compare({ mode: 'next' })],
    ['match_day_of_week', compare({ mode: 'previous_period', match_day_of_week: 'yes' })],
    [
      'match_day_of_week',
      compare({ mode: 'custom', date_range: ['2024-08-01', '2024-08-01'], match_day_of_week: true }),
    ],
    ['date_range', compare({ mode: 'custom' })],
    ['another one', { ...previous, dimensions: ['time:day', 'visit:source'] }],
    [
      'numbers of intervals',
      { ...compare({ mode: 'custom', date_range: ['2024-08-01', '2024-08-03'] }), dimensions: ['time:day'] },
    ],
  ])('that our numbers cannot answer return 400: %s', async (named, sent) => {
    const { status, body } = await query({ date_range: 'day', ...sent });

    expect([status, body.error]).toEqual([400, expect.stringContaining(named)]);
  });
});

describe('the documented examples of version 1', () => {
  test('totals, with a filter by page', async () => {
    const totals = await get('stats/aggregate?period=6mo&metrics=visitors,pageviews,bounce_rate,visit_duration');
    const page = await get('stats/aggregate?period=6mo&filters=event:page%3D%3D%2Fpricing');

    const value = expect.any(Number);
    expect(totals.body).toEqual({
      results: { visitors: { value: 3 }, pageviews: { value: 3 }, bounce_rate: { value }, visit_duration: { value } },
    });
    expect(page.body).toEqual({ results: { visitors: { value: 1 } } });
  });

  test('a series by month, with a filter by source', async () => {
    const series = await get('stats/timeseries?period=6mo');
    const google = await get('stats/timeseries?period=6mo&filters=visit:source%3D%3DGoogle');

    expect(series.body.results).toHaveLength(6);
    for (const point of series.body.results)
      expect(point).toEqual({ date: expect.stringMatching(/-01$/), visitors: expect.any(Number) });
    const sum = (points: { visitors: number }[]) => points.reduce((all, { visitors }) => all + visitors, 0);
    expect([sum(series.body.results), sum(google.body.results)]).toEqual([3, 1]);
  });

  test('sources, pages, and the properties of an event', async () => {
    const sources = await get('stats/breakdown?period=6mo&property=visit:source&metrics=visitors,bounce_rate&limit=5');
    const pages = await get('stats/breakdown?period=6mo&property=event:page&limit=5');
    const methods = await get(
      'stats/breakdown?period=6mo&property=event:props:method&filters=event:goal%3D%3DDownload',
    );

    expect(sources.body.results).toEqual([
      { source: 'Direct / None', visitors: 2, bounce_rate: 50 },
      { source: 'Google', visitors: 1, bounce_rate: 0 },
    ]);
    expect(pages.body.results).toContainEqual({ page: '/pricing', visitors: 1 });
    expect(methods.body).toEqual({ results: [{ method: 'HTTP', visitors: 1 }] });
  });

  test.each<[string, number]>([
    ['event:page%3D%3D/Blog/*', 1],
    ['event:page%3D%3D*/a', 1],
    ['event:page!%3D/Blog/*', 2],
    ['visit:country_name%3D%3DEst*', 1],
    ['event:page%3D%3D/pricing|/Blog/a', 2],
    ['event:page%3D%3D/a%5C%7Cb', 0],
    ['event:goal%3D%3DVisit%20/pricing', 1],
    ['event:goal%3D%3DSign*', 1],
    ['visit:source!%3DGoogle%3D%3D', 3],
  ])('understands the filter %s', async (filters, visitors) => {
    expect(await get(`stats/aggregate?period=7d&filters=${filters}`)).toEqual({
      status: 200,
      body: { results: { visitors: { value: visitors } } },
    });
  });

  test('months are whole, also where "date" is not their last day', async () => {
    const { body } = await get('stats/timeseries?period=month&date=2024-02-10');

    expect([body.results.length, body.results.at(-1)]).toEqual([29, { date: '2024-02-29', visitors: 0 }]);
  });
});
