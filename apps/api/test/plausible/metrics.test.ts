import { expect, test } from 'vitest';
import { metricOf, NOTHING } from '../../src/plausible/metrics.ts';

test.each([
  [57, 200, 29],
  [23, 40, 58],
  [68, 203, 33],
])('%i bounces of %i visits are %i percent, rounded once', (bounces, visits, percent) => {
  const totals = { ...NOTHING, visits, bounces, visitsWithPageviews: visits };

  expect(metricOf('bounce_rate', { dimensions: [], totals })).toBe(percent);
});

test('a visit duration is rounded once, to seconds', () => {
  const totals = { ...NOTHING, visits: 1, duration: 12_450 };

  expect(metricOf('visit_duration', { dimensions: [], totals })).toBe(12);
});

test('the time on a page is the mean of measured pageviews, rounded once, and null without any', () => {
  const engagement = { measured: 20, seconds: 209, scroll: 1_250, measuredVisits: 20, engagedVisits: 10 };
  const row = { dimensions: ['/a'], totals: { ...NOTHING, engagement } };

  expect([metricOf('time_on_page', row), metricOf('scroll_depth', row)]).toEqual([10, 63]);
  expect(metricOf('time_on_page', { dimensions: [], totals: NOTHING })).toBeNull();
});
