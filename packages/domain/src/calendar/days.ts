import { Temporal } from 'temporal-polyfill';
import { type Fault, inWords } from '../base/errors.ts';

/** A calendar day: `YYYY-MM-DD`. */
export type Day = string;

/** A day in UTC, in milliseconds; in other zones, a day may be longer or shorter. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** Counts days from 1970-01-01, so that they can be added and compared. */
function dayNumberOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

/** The inverse of {@link dayNumberOf}. */
export function dayOfNumber(number: number): Day {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}

/** The day that is `days` days later, or earlier if negative. */
export function addDays(day: Day, days: number): Day {
  return dayOfNumber(dayNumberOf(day) + days);
}

/** How many days a period has, the first and the last included. */
export function daysBetween(from: Day, to: Day): number {
  return dayNumberOf(to) - dayNumberOf(from) + 1;
}

/** Every day of a period, in order. */
export function daysOf(from: Day, to: Day): Day[] {
  return Array.from({ length: Math.max(0, daysBetween(from, to)) }, (_, index) => addDays(from, index));
}

/** Whether a string is a calendar day from 1970-01-01 to 9999-12-31: `2026-02-29` is none. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1970-01-01') return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The Monday on or before a day. */
export function startOfWeek(day: Day): Day {
  // 1970-01-01 was a Thursday.
  const sinceMonday = (((dayNumberOf(day) + 3) % 7) + 7) % 7;
  return addDays(day, -sinceMonday);
}

/** The first day of a day's month. */
export function startOfMonth(day: Day): Day {
  return `${day.slice(0, 7)}-01`;
}

/** The same day `months` later or earlier; a day that the month lacks becomes its last one. */
export function addMonths(day: Day, months: number): Day {
  return Temporal.PlainDate.from(day).add({ months }).toString();
}

/** Days in the zone of a website, both included. */
export interface Period {
  readonly from: Day;
  readonly to: Day;
}

/** The periods that the statistics page offers (pages.md). */
export const PERIOD_NAMES = ['today', 'yesterday', '7d', '28d', 'month', '12m'] as const;
export type PeriodName = (typeof PERIOD_NAMES)[number];

/** How the period to compare with is chosen: see {@link comparedPeriod}. */
export const COMPARISONS = ['previous', 'year'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** The intervals of a series (api.md, "Statistics"); a week begins on Monday. */
export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** The most days of a period (api.md, "Statistics"). */
export const MAX_PERIOD_DAYS = 1_830;
/** The most days of a series by hour (api.md, "Statistics"). */
export const MAX_DAYS_OF_HOURS = 7;

/** The period with this name: `7d` and `28d` include today, `month` and `12m` are calendar months to date. */
export function namedPeriod(name: PeriodName, today: Day): Period {
  switch (name) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case '7d':
      return { from: addDays(today, -6), to: today };
    case '28d':
      return { from: addDays(today, -27), to: today };
    case 'month':
      return { from: startOfMonth(today), to: today };
    case '12m':
      return { from: addMonths(startOfMonth(today), -11), to: today };
  }
}

/** Reads a period of both days or neither; without them it is `28d` (api.md, "Statistics"). */
export function readPeriod(
  from: string | undefined,
  to: string | undefined,
  today: Day,
): { readonly period: Period } | { readonly faults: readonly Fault[] } {
  if (from === undefined && to === undefined) return { period: namedPeriod('28d', today) };
  const faults = [...dayFaults('from', from), ...dayFaults('to', to)];
  if (from === undefined || to === undefined || faults.length > 0) return { faults };
  if (to < from) {
    const text = inWords(({ statistics }) => statistics.lastBeforeFirst, '"to" must not be before "from".');
    return { faults: [{ field: 'to', code: 'not_allowed', ...text }] };
  }
  if (daysBetween(from, to) > MAX_PERIOD_DAYS) {
    const text = inWords((words) => words.faults.tooManyDays(MAX_PERIOD_DAYS));
    return { faults: [{ field: 'from', code: 'not_allowed', ...text }] };
  }
  return { period: { from, to } };
}

/** The period to compare with: as many days directly before, or the same days a year earlier. */
export function comparedPeriod({ from, to }: Period, comparison: Comparison): Period {
  if (comparison === 'year') return { from: addMonths(from, -12), to: addMonths(to, -12) };
  return { from: addDays(from, -daysBetween(from, to)), to: addDays(from, -1) };
}

/** The default interval of a series. */
export function defaultInterval({ from, to }: Period): Interval {
  const days = daysBetween(from, to);
  if (days === 1) return 'hour';
  if (days <= 92) return 'day';
  return days <= 366 ? 'week' : 'month';
}

function dayFaults(field: 'from' | 'to', day: string | undefined): Fault[] {
  if (day === undefined) {
    return [
      { field, code: 'required', ...inWords(({ faults }) => faults.day, 'Send both "from" and "to", or neither.') },
    ];
  }
  if (isDay(day)) return [];
  const detail = 'A day must be written as YYYY-MM-DD, such as 2026-11-20, from 1970 on.';
  return [{ field, code: 'not_allowed', ...inWords(({ faults }) => faults.day, detail) }];
}
