import { timeZone } from '@hitherto/domain/calendar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from '../support/api.ts';
import { addHits, anExample } from './histories.ts';

// api.md, "Statistics": GET …/statistics/series.

interface SeriesJson {
  readonly data: readonly { readonly start: string; readonly visits: number }[];
  readonly meta: { readonly interval: string };
}

let api: Api;
let id: string;
beforeAll(async () => {
  api = await startApi();
  id = await anExample(api);
});
afterAll(() => api.app.close());

const show = (query = '', accept = 'application/json') =>
  api.send('GET', `/api/v1/websites/${id}/statistics/series${query}`, { headers: { accept } });
const startsOf = ({ data }: SeriesJson) => data.map(({ start }) => start);

describe('GET …/statistics/series', () => {
  test('has a point for every day, empty ones included', async () => {
    const series = (await show('?from=2026-11-19&to=2026-11-20')).json();

    expect(series).toEqual({
      data: [
        { start: '2026-11-19', visitors: 0, visits: 0, pageviews: 0, events: 0 },
        { start: '2026-11-20', visitors: 2, visits: 3, pageviews: 7, events: 1 },
      ],
      meta: { from: '2026-11-19', to: '2026-11-20', time_zone: 'UTC', without_days: [], interval: 'day' },
    });
  });

  test.each([
    ['', 'day', 28],
    ['?from=2026-11-20&to=2026-11-20', 'hour', 24],
    ['?from=2026-01-01&to=2026-04-02', 'day', 92],
    ['?from=2026-01-01&to=2026-04-03', 'week', 14],
    ['?from=2026-01-01&to=2027-01-01', 'week', 53],
    ['?from=2026-01-01&to=2027-01-02', 'month', 13],
  ])('the default interval of %j is %s', async (query, interval, length) => {
    const series = (await show(query)).json<SeriesJson>();

    expect(series.meta.interval).toBe(interval);
    expect(series.data).toHaveLength(length);
  });

  test('the start of an hour is a time with its offset; a visit counts where it begins', async () => {
    const series = (await show('?from=2026-11-20&to=2026-11-20&interval=hour')).json<SeriesJson>();

    expect(series.data.filter(({ visits }) => visits > 0)).toEqual([
      { start: '2026-11-20T08:00:00+00:00', visitors: 1, visits: 1, pageviews: 3, events: 1 },
      { start: '2026-11-20T10:00:00+00:00', visitors: 2, visits: 2, pageviews: 4, events: 0 },
    ]);
  });

  test('weeks start on Monday and months on their first day; the numbers are of the period', async () => {
    const weeks = (await show('?from=2026-11-18&to=2026-11-23&interval=week')).json<SeriesJson>();
    const months = (await show('?from=2026-10-31&to=2026-11-19&interval=month')).json<SeriesJson>();

    expect(startsOf(weeks)).toEqual(['2026-11-16', '2026-11-23']);
    expect(weeks.data[0]).toMatchObject({ visits: 3 });
    expect(startsOf(months)).toEqual(['2026-10-01', '2026-11-01']);
    expect(months.data[1]).toMatchObject({ visits: 0 });
  });

  test('filters choose the visits', async () => {
    const series = (await show('?from=2026-11-20&to=2026-11-20&interval=day&event=Signup')).json<SeriesJson>();

    expect(series.data).toEqual([{ start: '2026-11-20', visitors: 1, visits: 1, pageviews: 3, events: 1 }]);
  });

  test.each([
    ['interval=year', 'interval not_allowed'],
    ['interval=', 'interval not_allowed'],
    ['from=2026-11-01&to=2026-11-08&interval=hour', 'interval not_allowed'],
    ['from=2026-02-30&to=2026-02-30&interval=hour', 'from not_allowed', 'to not_allowed'],
    ['compare=year', 'compare unknown'],
    ['per_page=10', 'per_page unknown'],
  ])('%s is rejected', async (query, ...faults) => {
    expect((await show(`?${query}`)).faults()).toEqual(faults);
  });

  test('seven days by hour are accepted', async () => {
    expect((await show('?from=2026-11-01&to=2026-11-07&interval=hour')).json<SeriesJson>().data).toHaveLength(168);
  });

  test('in another time zone, a day on which clocks go back has 25 hours', async () => {
    const berlin = await startApiForTest({ zone: timeZone('Europe/Berlin') });
    const website = await berlin.createWebsite();
    await addHits(berlin, website.id, [{ time: new Date('2026-10-25T01:30:00Z'), day: '2026-10-25' }]);

    const response = await berlin.send(
      'GET',
      `/api/v1/websites/${website.id}/statistics/series?from=2026-10-25&to=2026-10-25`,
    );

    const { data } = response.json<SeriesJson>();
    expect(data).toHaveLength(25);
    expect(data.find(({ visits }) => visits === 1)?.start).toBe('2026-10-25T02:00:00+01:00');
    expect(response.json()).toMatchObject({ meta: { time_zone: 'Europe/Berlin' } });
  });
});

describe('Accept: text/csv', () => {
  const DAY = '?from=2026-11-20&to=2026-11-20&interval=day';

  test('returns CSV on request, with columns named like the fields', async () => {
    const response = await show(DAY, 'text/csv');

    expect(response.header('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.header('vary')).toBe('accept');
    expect(response.text).toBe('start,visitors,visits,pageviews,events\r\n2026-11-20,2,3,7,1\r\n');
  });

  test.each([
    ['text/csv;q=0.5, */*;q=0.1', 'text/csv'],
    ['TEXT/CSV; charset=utf-8', 'text/csv'],
    ['application/json;q=0.9, text/csv', 'text/csv'],
    ['application/json, text/csv;q=0.9', 'application/json'],
    ['*/*, text/csv;q=0.1', 'application/json'],
    ['application/*;q=0.5, text/csv;q=0.7', 'text/csv'],
    ['text/csv;q=0', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
  ])('%s returns %s', async (accept, type) => {
    expect((await show(DAY, accept)).header('content-type')).toContain(type);
  });

  test('errors are still problem details', async () => {
    expect((await show('?interval=year', 'text/csv')).faults()).toEqual(['interval not_allowed']);
  });
});
