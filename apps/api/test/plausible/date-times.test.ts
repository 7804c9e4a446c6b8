import { afterAll, describe, expect, test } from 'vitest';
import { startExampleSite, TODAY, YESTERDAY } from './site.ts';

const { api, query } = await startExampleSite();
afterAll(() => api.app.close());

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
