import type { Totals } from '../statistics/engine/statistics-repository.ts';
import { ratesOf } from '../statistics/reading/rates.ts';

/** The five numbers, by the names of the API. Each can be the subject of the chart (statistics.md, section 6). */
export const METRICS = ['visitors', 'visits', 'pageviews', 'bounce_rate', 'visit_duration'] as const;
export type Metric = (typeof METRICS)[number];

/** The five numbers of a period, in the API's units; `null` where there is nothing to take a mean of. */
export type Figures = {
  readonly visitors: number;
  readonly visits: number;
  readonly pageviews: number;
  readonly bounce_rate: number | null;
  readonly visit_duration: number | null;
};

export const METRIC_NAMES: Readonly<Record<Metric, string>> = {
  visitors: 'Visitors',
  visits: 'Visits',
  pageviews: 'Pageviews',
  bounce_rate: 'Bounce rate',
  visit_duration: 'Visit duration',
};

/** The five numbers of totals. */
export function figuresOf(totals: Totals): Figures {
  const { visitors, visits, pageviews } = totals;
  const { bounceRate, visitDuration } = ratesOf(totals);
  return { visitors, visits, pageviews, bounce_rate: bounceRate, visit_duration: visitDuration };
}
