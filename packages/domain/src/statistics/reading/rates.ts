import type { Totals } from '../engine/statistics-repository.ts';

/** Rates as they are shown (statistics.md, section 5); `null` if there is nothing to divide by. */
export interface Rates {
  /** Bounces of the visits that have a pageview, from 0 to 1, 4 decimals. */
  readonly bounceRate: number | null;
  /** Mean of all visits, in seconds, 1 decimal. */
  readonly visitDuration: number | null;
  /** Pageviews per visit, 2 decimals. */
  readonly viewsPerVisit: number | null;
}

export function ratesOf({ visits, pageviews, bounces, visitsWithPageviews, duration }: Totals): Rates {
  return {
    bounceRate: ratio(bounces, visitsWithPageviews, 4),
    visitDuration: ratio(duration, visits * 1000, 1),
    viewsPerVisit: ratio(pageviews, visits, 2),
  };
}

/** Scales before dividing, so that halves are rounded up whatever their binary form. */
function ratio(part: number, whole: number, decimals: number): number | null {
  const scale = 10 ** decimals;
  return whole === 0 ? null : Math.round((part * scale) / whole) / scale;
}
