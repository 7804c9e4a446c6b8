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
