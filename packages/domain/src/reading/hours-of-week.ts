import { addDays, type Day, daysBetween, daysOf, type Period } from '../calendar/days.ts';
import { dayOf, shownAt, type TimeZone } from '../calendar/time-zone.ts';
import type { VisitorsByHour } from '../engine/statistics-repository.ts';

/** The mean visitors of each hour of the week: a list for each weekday, Monday first, with one for each hour of the day. */
export type HoursOfWeek = readonly (readonly number[])[];

const WEEKDAYS = 7;
const HOURS = 24;
const HOUR_MS = 3_600_000;
const DAY_MS = HOURS * HOUR_MS;

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
 * @param hours those of the period
 * @param unknown days whose hours nobody knows
 */
export function hoursOfWeek(
  zone: TimeZone,
  period: Period,
  hours: VisitorsByHour,
  unknown: readonly Period[],
): HoursOfWeek | undefined {
  const visitors = Array.from({ length: WEEKDAYS }, () => Array.from({ length: HOURS }, () => 0));
  hours.starts.forEach((start, place) => {
    const local = shownAt(zone, start);
    const ofDay = visitors[weekdayOf(Math.floor(local / DAY_MS))];
    const hour = Math.floor((local % DAY_MS) / HOUR_MS);
    if (ofDay !== undefined) ofDay[hour] = (ofDay[hour] ?? 0) + (hours.visitors[place] ?? 0);
  });
  if (!visitors.flat().some((each) => each > 0)) return undefined;
  const days = visitors.map(() => 0);
  for (const day of daysOf(period.from, period.to)) {
    if (unknown.some(({ from, to }) => from <= day && day <= to)) continue;
    const weekday = weekdayOf(Date.parse(day) / DAY_MS);
    days[weekday] = (days[weekday] ?? 0) + 1;
  }
  return visitors.map((hours, weekday) => hours.map((sum) => sum / Math.max(1, days[weekday] ?? 0)));
}

/** @param day counted from 1970-01-01, which was a Thursday; 0 is Monday */
function weekdayOf(day: number): number {
  return (((day + 3) % WEEKDAYS) + WEEKDAYS) % WEEKDAYS;
}
