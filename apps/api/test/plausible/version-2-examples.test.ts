import { afterAll, describe, expect, test } from 'vitest';
import {
  asc,
  DOCUMENTED_FILTERS,
  desc,
  EXAMPLE_SITE,
  is,
  rows,
  rowsOf,
  startExampleSite,
  TODAY,
  YESTERDAY,
} from './site.ts';

// The examples of the reference of version 2 of Plausible's Stats API, each with the documented shape of its response.

const { api, query } = await startExampleSite();
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
          site_id: EXAMPLE_SITE,
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
