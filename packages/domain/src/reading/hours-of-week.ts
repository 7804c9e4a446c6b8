import { addDays, type Day, daysBetween, daysOf, type Period } from '../calendar/days.ts';
import { dayOf, formatWithOffset, type TimeZone } from '../calendar/time-zone.ts';
import type { SeriesPoint } from '../visits/totals.ts';

/** The mean visitors of each hour of the week: a list for each weekday, Monday first, with one for each hour of the day. */
export type HoursOfWeek = readonly (readonly number[])[];

const WEEKDAYS = 7;
const HOURS = 24;

/**
 * The days of a period that are over, since the first day with a hit; `undefined` if they are less than a week, which has too few
 * of each hour.
 */
export function wholeDays(zone: TimeZone, now: Date, period: Period, firstDay: Day | undefined): Period | undefined {
  const yesterday = addDays(dayOf(zone, now), -1);
  const isOver = period.to <= yesterday;
  const to = isOver ? period.to : yesterday;
  const from = firstDay !== undefined && firstDay > period.from ? firstDay : period.from;
  return from <= to && daysBetween(from, to) >= WEEKDAYS ? { from, to } : undefined;
}

/**
 * The mean visitors of each hour of the week; `undefined` without any.
 *
 * @param points the hours of the period
 * @param unknown days whose hours nobody knows
 */
export function hoursOfWeek(
  zone: TimeZone,
  period: Period,
  points: readonly SeriesPoint[],
  unknown: readonly Period[],
): HoursOfWeek | undefined {
  const visitors = Array.from({ length: WEEKDAYS }, () => Array.from({ length: HOURS }, () => 0));
  for (const { start, visitors: ofHour } of points) {
    if (typeof start === 'string') continue;
    const local = formatWithOffset(zone, start);
    const ofDay = visitors[weekdayOf(local.slice(0, 10))];
    const hour = Number(local.slice(11, 13));
    if (ofDay !== undefined) ofDay[hour] = (ofDay[hour] ?? 0) + ofHour;
  }
  if (!visitors.flat().some((each) => each > 0)) return undefined;
  const days = daysOf(period.from, period.to).filter(
    (day) => !unknown.some(({ from, to }) => from <= day && day <= to),
  );
  const countOf = (weekday: number) => days.filter((day) => weekdayOf(day) === weekday).length;
  return visitors.map((hours, weekday) => hours.map((sum) => sum / Math.max(1, countOf(weekday))));
}

/** 0 is Monday. */
function weekdayOf(day: Day): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % WEEKDAYS;
}
