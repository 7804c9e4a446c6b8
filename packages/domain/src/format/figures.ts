import { ENGLISH, type Locale } from '@hitherto/words';
import { ratesOf } from '../reading/show-statistics.ts';
import { areVisitorsAtMost, knownVisits, type Totals } from '../visits/totals.ts';

/** The numbers of a period, by the names of the API. Each can be the subject of the chart (pages.md). */
export const METRICS = ['visitors', 'visits', 'pageviews', 'bounce_rate', 'visit_duration', 'engaged_seconds'] as const;
export type Metric = (typeof METRICS)[number];

/** The numbers that are shown: engaged time only where it is measured. */
export function metricsOf(figures: Figures): readonly Metric[] {
  return METRICS.filter((metric) => figures[metric] !== undefined);
}

/** The numbers of a period, in the API's units; `null` for a mean of nothing, and for unknown numbers. */
export type Figures = {
  readonly visitors: number;
  readonly visits: number | null;
  readonly pageviews: number;
  readonly bounce_rate: number | null;
  readonly visit_duration: number | null;
  /** Absent where no pageview is measured. */
  readonly engaged_seconds?: number | null;
  /** There are at most as many visitors. */
  readonly visitors_at_most?: true;
};

/** The numbers of totals. */
export function figuresOf(totals: Totals): Figures {
  const { visitors, pageviews } = totals;
  const { bounceRate, visitDuration, engagedSeconds } = ratesOf(totals);
  return {
    visitors,
    visits: knownVisits(totals),
    pageviews,
    bounce_rate: bounceRate,
    visit_duration: visitDuration,
    ...(totals.engagement === undefined ? {} : { engaged_seconds: engagedSeconds }),
    ...(areVisitorsAtMost(totals) ? { visitors_at_most: true as const } : {}),
  };
}

/** A number as people read it; `–` where there is none. */
export function formatMetric({ format }: Locale, metric: Metric, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (metric === 'bounce_rate') return format.share(value);
  if (isDuration(metric)) return format.duration(value);
  return format.count(value);
}

/** Whether a number is of seconds. */
export function isDuration(metric: Metric): boolean {
  return metric === 'visit_duration' || metric === 'engaged_seconds';
}

/** As {@link formatMetric}, for the round values that an axis marks. */
export function formatTick({ format }: Locale, metric: Metric, value: number): string {
  if (metric === 'bounce_rate') return format.share(value);
  if (isDuration(metric)) return format.duration(value).replace(/ 0\u00a0\p{L}+$/u, '');
  return format.shortCount(value);
}

/** A change against the period before; `good` is undefined if nothing changed. */
export interface FigureChange {
  /** In words: `12 % more`. */
  readonly text: string;
  /** Beside a number: `↑ 12 %`. */
  readonly arrow: string;
  readonly good: boolean | undefined;
}

/** How a number changed; `undefined` where there was nothing before. Of the bounce rate more is worse, and its change is in percentage points. */
export function changeOf(
  { words: { figures, formats }, format }: Locale,
  metric: Metric,
  now: number | null | undefined,
  before: number | null | undefined,
): FigureChange | undefined {
  if (now === null || now === undefined || before === null || before === undefined) return undefined;
  const isRate = metric === 'bounce_rate';
  if (!isRate && before === 0) return undefined;
  const change = Math.round(isRate ? (now - before) * 100 : ((now - before) / before) * 100);
  const { asBefore } = figures;
  if (change === 0) return { text: asBefore, arrow: asBefore, good: undefined };
  const amount = Math.abs(change);
  const number = format.count(amount);
  const size = isRate ? `${number}\u00a0${figures.points(amount)}` : formats.percent(number);
  const isMore = change > 0;
  return {
    text: isMore ? figures.more(size) : figures.less(size),
    arrow: `${isMore ? '↑' : '↓'}\u00a0${size}`,
    good: isRate ? !isMore : isMore,
  };
}

/** `1 visitor`, `7 visitors`: in English alone. */
export function countOf(count: number, one: string, many: string): string {
  return `${ENGLISH.format.count(count)} ${count === 1 ? one : many}`;
}
