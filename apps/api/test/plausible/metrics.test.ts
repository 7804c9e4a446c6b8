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
