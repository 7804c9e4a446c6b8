import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { aHit, startExampleSite, startSite, TODAY, YESTERDAY } from './site.ts';

const { api, query } = await startExampleSite();
afterAll(() => api.app.close());

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

  test('compares a day that is not over with another one until the same time', async () => {
    const hits = [aHit(1n, TODAY, '10:00'), aHit(2n, YESTERDAY, '11:59'), aHit(3n, YESTERDAY, '12:00')];
    const site = await startSite({ name: 'open.site', website: { url: 'https://open.site' }, hits });
    onTestFinished(() => site.api.app.close());

    const today = await site.query({ ...previous, date_range: 'day' });
    const hours = await site.query({ ...previous, date_range: 'day', dimensions: ['time:hour'] });
    const over = await site.query({
      ...compare({ mode: 'custom', date_range: [YESTERDAY, YESTERDAY] }),
      date_range: 'day',
    });

    expect(today.body.results).toEqual([
      { dimensions: [], metrics: [1], comparison: { dimensions: [], metrics: [1], change: [0] } },
    ]);
    expect(hours.body.results).toContainEqual({
      dimensions: [`${TODAY} 10:00:00`],
      metrics: [1],
      comparison: { dimensions: [`${YESTERDAY} 10:00:00`], metrics: [0], change: [100] },
    });
    expect(over.body.results[0].comparison.metrics).toEqual([2]);
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

describe('comparisons of a range that ends in the future', () => {
  const november = ['2026-11-01', '2026-11-30'];
  const start = async () => {
    const days = ['2025-11-10', '2025-11-25', '2026-10-05', '2026-10-06', '2026-10-28', '2026-11-05', TODAY];
    const site = await startSite({
      name: 'dummy.site',
      website: { url: 'https://dummy.site' },
      hits: days.map((day) => aHit(1n, day, '08:00')),
    });
    onTestFinished(() => site.api.app.close());
    return site;
  };

  test('are of the days until today', async () => {
    const site = await start();
    const compare = async (mode: string) => {
      const { body } = await site.query({ date_range: november, include: { comparisons: { mode } } });
      return [body.results[0].metrics, body.results[0].comparison.metrics, body.query.date_range[1].slice(0, 10)];
    };

    expect(await compare('previous_period')).toEqual([[2], [1], '2026-11-30']);
    expect(await compare('year_over_year')).toEqual([[2], [1], '2026-11-30']);
  });

  test('have no rows of days to come', async () => {
    const site = await start();
    const { body } = await site.query({
      date_range: [TODAY, '2026-11-22'],
      dimensions: ['time:day'],
      include: { time_labels: true, comparisons: { mode: 'previous_period' } },
    });

    expect(body.results).toEqual([
      { dimensions: [TODAY], metrics: [1], comparison: { dimensions: [YESTERDAY], metrics: [0], change: [100] } },
    ]);
    expect(body.meta.time_labels).toEqual([TODAY, '2026-11-21', '2026-11-22']);
  });

  test('are so in version 1', async () => {
    const site = await start();
    const { body } = await site.get('stats/aggregate?period=month&compare=previous_period');

    expect(body).toEqual({ results: { visitors: { value: 2, change: 100 } } });
  });
});
