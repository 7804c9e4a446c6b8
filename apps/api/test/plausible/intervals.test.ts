import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { startExampleSite } from './site.ts';

const { api, query } = await startExampleSite();
afterAll(() => api.app.close());

describe('the dimension "time"', () => {
  // The bounds are those of Plausible.
  test.each<[string, string | readonly string[]]>([
    ['time:hour', 'day'],
    ['time:hour', ['2026-03-01', '2026-03-02']],
    ['time:hour', ['2026-03-01T01:00:00Z', '2026-03-03T01:59:59Z']],
    ['time:day', ['2026-03-01', '2026-03-03']],
    ['time:day', ['2026-03-01', '2026-04-10']],
    ['time:day', 'month'],
    ['time:week', ['2026-03-01', '2026-04-11']],
    ['time:week', ['2025-01-01', '2026-01-06']],
    ['time:week', '6mo'],
    ['time:week', '12mo'],
    ['time:week', 'year'],
    ['time:month', ['2025-01-01', '2026-01-07']],
  ])('is %s for %s', async (dimension, dateRange) => {
    const labelsOf = async (asked: string) => {
      const { status, body } = await query({
        date_range: dateRange,
        dimensions: [asked],
        include: { time_labels: true },
      });
      expect(status, body.error).toBe(200);
      return body.meta.time_labels;
    };

    expect(await labelsOf('time')).toEqual(await labelsOf(dimension));
  });

  test('is the same for months and years that have just begun', async () => {
    const site = await startExampleSite();
    onTestFinished(() => site.api.app.close());
    site.api.clock.advance(42 * 24 * 60 * 60 * 1000);
    const labelsOf = async (dateRange: string) => {
      const { body } = await site.query({
        date_range: dateRange,
        dimensions: ['time'],
        include: { time_labels: true },
      });
      return body.meta.time_labels;
    };

    expect(await labelsOf('month')).toEqual(['2027-01-01']);
    expect(await labelsOf('year')).toEqual(['2027-01-01']);
  });

  test('has no interval for parts of days over 49 hours, which are rejected', async () => {
    const { status, body } = await query({
      date_range: ['2026-03-01T01:00:00Z', '2026-03-03T02:59:59Z'],
      dimensions: ['time'],
    });

    expect([status, body.error]).toEqual([400, expect.stringContaining('time:hour')]);
  });
});
