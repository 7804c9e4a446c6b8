import type { Metric } from './figures.ts';
import { formatCount, formatDuration, formatShare, formatShortCount } from './numbers.ts';

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

/** A change against the period before, in words; `good` is undefined where nothing can be said, or nothing changed. */
export interface Change {
  /** In words: `12 % more`. */
  readonly text: string;
  /** Where space is short: `+12 %`. */
  readonly short: string;
  readonly good: boolean | undefined;
}

/** How a number changed. Of the bounce rate more is worse, and its change is in percentage points. */
export function changeOf(metric: Metric, now: number | null, before: number | null): Change | undefined {
  if (now === null || before === null) return undefined;
  const isRate = metric === 'bounce_rate';
  if (!isRate && before === 0) {
    return now === 0 ? AS_BEFORE : { text: 'none before', short: 'none before', good: undefined };
  }
  const change = Math.round(isRate ? (now - before) * 100 : ((now - before) / before) * 100);
  if (change === 0) return AS_BEFORE;
  const amount = formatCount(Math.abs(change));
  const unit = isRate ? (amount === '1' ? 'point' : 'points') : '%';
  const size = `${amount}\u00a0${unit}`;
  const text = `${size} ${change > 0 ? 'more' : 'less'}`;
  const short = `${change > 0 ? '+' : '\u2212'}${size}`;
  return { text, short, good: isRate ? change < 0 : change > 0 };
}

const AS_BEFORE: Change = { text: 'as before', short: 'as before', good: undefined };
