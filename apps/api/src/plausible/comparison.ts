import {
  daysOf,
  hoursOf,
  type Interval,
  type Period,
  startOfMonth,
  startOfWeek,
  type TimeZone,
} from '@hitherto/domain/calendar';
import { intervalLabel, labelOf } from './count-rows.ts';
import type { ComparedPeriods } from './date-range.ts';
import { InvalidQuery } from './invalid-query.ts';
import type { PlausibleMetric, PlausibleQuery } from './query.ts';
import type { PlausibleRow } from './rows.ts';

/** A row with the same row of the period to compare with. */
export interface ComparedRow extends PlausibleRow {
  readonly comparison: PlausibleRow & { readonly change: readonly (number | null)[] };
}

/** The labels of all intervals of a period, as time dimensions have them. */
export function labelsOf(zone: TimeZone, period: Period, interval: Interval): string[] {
  const { from, to } = period;
  if (interval === 'hour') return hoursOf(zone, from, to).map((hour) => labelOf(zone, hour));
  const days = daysOf(from, to);
  if (interval === 'day') return days;
  const starts = new Set(days.map(interval === 'week' ? startOfWeek : startOfMonth));
  return Array.from(starts, (start) => intervalLabel(period, interval, start));
}

/** Adds to rows the same ones of another period: of the same values, or of the interval at the same place. */
export function compareRows(
  zone: TimeZone,
  { interval, metrics }: PlausibleQuery,
  { own, other }: ComparedPeriods,
  rows: readonly PlausibleRow[],
  before: readonly PlausibleRow[],
): ComparedRow[] {
  const nameOf = ({ dimensions }: PlausibleRow) => dimensions.join('\0');
  const known = new Map(before.map((row) => [nameOf(row), row]));
  const places = interval === undefined ? undefined : placesOf(zone, own, other, interval);
  return rows.map((row) => {
    const dimensions = places === undefined ? row.dimensions : [places.get(row.dimensions[0] ?? '') ?? ''];
    const found = known.get(nameOf({ dimensions, metrics: [] }))?.metrics ?? metrics.map(() => 0);
    const change = metrics.map((metric, index) => changeOf(metric, row.metrics[index] ?? null, found[index] ?? null));
    return { ...row, comparison: { dimensions, metrics: found, change } };
  });
}

/** The intervals of a period, and the intervals of the other one at the same place. */
function placesOf(zone: TimeZone, period: Period, other: Period, interval: Interval): Map<string, string> {
  const [own, others] = [labelsOf(zone, period, interval), labelsOf(zone, other, interval)];
  if (own.length !== others.length) {
    throw new InvalidQuery(
      `The two periods of "include.comparisons" have different numbers of intervals of "time:${interval}".`,
    );
  }
  return new Map(own.map((label, index) => [label, others[index] ?? '']));
}

/** A change as Plausible says it: in percent of the value before, but rates in points. */
function changeOf(metric: PlausibleMetric, value: number | null, before: number | null): number | null {
  if (value === null || before === null) return null;
  if (metric === 'bounce_rate') return before > 0 ? value - before : null;
  if (metric === 'conversion_rate') return Math.round((value - before) * 10) / 10;
  if (before === 0) return value > 0 ? 100 : 0;
  const change = ((value - before) * 100) / before;
  return Math.sign(change) * Math.round(Math.abs(change));
}
