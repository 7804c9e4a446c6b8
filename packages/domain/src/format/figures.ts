import { ratesOf } from '../reading/show-statistics.ts';
import { areVisitorsAtMost, knownVisits, type Totals } from '../visits/totals.ts';

/** The five numbers, by the names of the API. Each can be the subject of the chart (pages.md). */
export const METRICS = ['visitors', 'visits', 'pageviews', 'bounce_rate', 'visit_duration'] as const;
export type Metric = (typeof METRICS)[number];

/** The five numbers of a period, in the API's units; `null` for a mean of nothing, and for unknown numbers. */
export type Figures = {
  readonly visitors: number;
  readonly visits: number | null;
  readonly pageviews: number;
  readonly bounce_rate: number | null;
  readonly visit_duration: number | null;
  /** There are at most as many visitors. */
  readonly visitors_at_most?: true;
};

/** As pages and mails name them. */
export const METRIC_NAMES: Readonly<Record<Metric, string>> = {
  visitors: 'Visitors',
  visits: 'Visits',
  pageviews: 'Pageviews',
  bounce_rate: 'Bounce rate',
  visit_duration: 'Visit duration',
};

/** The five numbers of totals. */
export function figuresOf(totals: Totals): Figures {
  const { visitors, pageviews } = totals;
  const { bounceRate, visitDuration } = ratesOf(totals);
  return {
    visitors,
    visits: knownVisits(totals),
    pageviews,
    bounce_rate: bounceRate,
    visit_duration: visitDuration,
    ...(areVisitorsAtMost(totals) ? { visitors_at_most: true as const } : {}),
  };
}

/** A number as people read it; `–` where there is none. */
export function formatMetric(metric: Metric, value: number | null): string {
  if (value === null) return '–';
  if (metric === 'bounce_rate') return formatShare(value);
  if (metric === 'visit_duration') return formatDuration(value);
  return formatCount(value);
}

/** As {@link formatMetric}, for the round values that an axis marks. */
export function formatTick(metric: Metric, value: number): string {
  if (metric === 'bounce_rate') return formatShare(value);
  if (metric === 'visit_duration') return formatDuration(value).replace(/ 0\u00a0[sm]$/, '');
  return formatShortCount(value);
}

/** A change against the period before; `good` is undefined if nothing changed. */
export interface FigureChange {
  /** In words: `12 % more`. */
  readonly text: string;
  /** Beside a number: `↑ 12 %`. */
  readonly arrow: string;
  /** Where space is short: `+12 %`. */
  readonly short: string;
  readonly good: boolean | undefined;
}

/** How a number changed; `undefined` where there was nothing before. Of the bounce rate more is worse, and its change is in percentage points. */
export function changeOf(metric: Metric, now: number | null, before: number | null): FigureChange | undefined {
  if (now === null || before === null) return undefined;
  const isRate = metric === 'bounce_rate';
  if (!isRate && before === 0) return undefined;
  const change = Math.round(isRate ? (now - before) * 100 : ((now - before) / before) * 100);
  if (change === 0) return AS_BEFORE;
  const amount = formatCount(Math.abs(change));
  const unit = isRate ? (amount === '1' ? 'point' : 'points') : '%';
  const size = `${amount}\u00a0${unit}`;
  const isMore = change > 0;
  return {
    text: `${size} ${isMore ? 'more' : 'less'}`,
    arrow: `${isMore ? '↑' : '↓'}\u00a0${size}`,
    short: `${isMore ? '+' : '\u2212'}${size}`,
    good: isRate ? !isMore : isMore,
  };
}

const AS_BEFORE: FigureChange = { text: 'as before', arrow: 'as before', short: 'as before', good: undefined };

const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `41,950`. */
export function formatCount(count: number): string {
  return WHOLE.format(count);
}

/** `950`, `1.5K`, `12M`: for axes, where space is short. */
function formatShortCount(count: number): string {
  return SHORT.format(count);
}

/** A share of 0 to 1 in percent, without the sign; only 0 itself is shown as 0. */
export function formatPercent(share: number): string {
  // The binary form of a half, as in 0.575, may be just below it.
  const percent = Math.round(Number((share * 100).toFixed(9)));
  return share > 0 && percent === 0 ? '<1' : String(percent);
}

/** A share of 0 to 1 as `38 %`. */
export function formatShare(share: number): string {
  return `${formatPercent(share)}\u00a0%`;
}

/** A conversion rate of 0 to 1 as `2.5 %`; only 0 itself is shown as 0. `–` if there is no rate. */
export function formatRate(rate: number | null): string {
  if (rate === null) return '–';
  if (rate === 0 || rate === 1) return formatShare(rate);
  return rate < 0.0005 ? '<0.1\u00a0%' : `${(rate * 100).toFixed(1)}\u00a0%`;
}

/** Seconds as `52 s`, `1 m 52 s`, `1 h 5 m`. */
function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}\u00a0s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}\u00a0m ${whole % 60}\u00a0s`;
  return `${WHOLE.format(Math.floor(minutes / 60))}\u00a0h ${minutes % 60}\u00a0m`;
}

/** A decimal of any size as `-1,234.50`, and `1,234` if it is whole. */
export function formatDecimal(decimal: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(.*)$/.exec(decimal) ?? [];
  return `${sign && '\u2212'}${WHOLE.format(BigInt(whole))}${/^\.0+$/.test(fraction) ? '' : fraction}`;
}

/** `1 visitor`, `7 visitors`. */
export function countOf(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
