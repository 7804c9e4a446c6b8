import { ratesOf, ratio } from '@hitherto/domain/reading';
import { knownVisits, NOT_MEASURED, type Totals } from '@hitherto/domain/visits';
import type { PlausibleMetric } from './query.ts';

/** The numbers of a row, from which metrics are computed. */
export interface Counted {
  readonly dimensions: readonly string[];
  readonly totals: Totals;
  /** Of goals and properties, in the place of all events. */
  readonly conversions?: number;
  /** The divisors of percentages and rates: visitors that are shown, all of them, and those of the row's group. */
  readonly shown?: number;
  readonly all?: number | undefined;
  readonly group?: number | undefined;
}

/** The numbers that goals do not have. */
export const NOTHING: Totals = {
  visitors: 0,
  visits: 0,
  pageviews: 0,
  events: 0,
  bounces: 0,
  visitsWithPageviews: 0,
  duration: 0,
};

/** A metric as Plausible rounds it; `null` if it has no value. */
export function metricOf(metric: PlausibleMetric, { totals, conversions, shown, all, group }: Counted): number | null {
  const { visitors, pageviews, events, engagement = NOT_MEASURED } = totals;
  const visits = knownVisits(totals);
  const { viewsPerVisit, scrollDepth } = ratesOf(totals);
  switch (metric) {
    case 'visitors':
      return visitors;
    case 'visits':
      return visits;
    case 'pageviews':
      return pageviews;
    case 'events':
      return conversions ?? pageviews + events;
    case 'views_per_visit':
      return visits === null ? null : (viewsPerVisit ?? 0);
    case 'bounce_rate':
      return visits === null ? null : (ratio(100 * totals.bounces, totals.visitsWithPageviews, 0) ?? 0);
    case 'visit_duration':
      return visits === null ? null : (ratio(totals.duration, visits * 1000, 0) ?? 0);
    case 'time_on_page':
      return ratio(engagement.seconds, engagement.measured, 0);
    case 'scroll_depth':
      return scrollDepth;
    case 'percentage':
      return percent(visitors, shown);
    case 'conversion_rate':
      return percent(visitors, all);
    case 'group_conversion_rate':
      return percent(visitors, group);
  }
}

/** With two decimals. */
function percent(part: number, whole: number | undefined): number {
  return whole === undefined || whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;
}
