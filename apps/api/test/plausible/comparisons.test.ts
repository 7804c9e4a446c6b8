import { afterAll, describe, expect, test } from 'vitest';
import { startExampleSite, TODAY, YESTERDAY } from './site.ts';

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
