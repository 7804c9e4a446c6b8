import { Temporal } from 'temporal-polyfill';
import { addDays, addMonths, type Day, isDay, type Period, startOfMonth, startOfWeek } from '../calendar/days.ts';
import { dayOf, endOfDay, formatWithOffset, hoursOf, startOfDay, type TimeZone } from '../calendar/time-zone.ts';
import { retryDelay } from '../tasks/retries.ts';
import type { ReportKind } from '../websites/settings.ts';

const FIRST_HOUR = 9;
/** How many days after its period a report is still sent. */
const LATEST_DAYS = 7;

/** The days that a report is about: an ISO week, from Monday to Sunday, or a calendar month. */
export interface ReportPeriod extends Period {
  readonly kind: ReportKind;
  /** Such as `2026-W47`, whose Thursday decides the year, or `2026-11`; the names of a kind sort by time. */
  readonly name: string;
}

/** The period of a kind that a day is in. */
export function reportPeriodOf(kind: ReportKind, day: Day): ReportPeriod {
  if (kind === 'monthly') {
    const from = startOfMonth(day);
    return { kind, name: day.slice(0, 7), from, to: addDays(addMonths(from, 1), -1) };
  }
  const from = startOfWeek(day);
  const { yearOfWeek, weekOfYear } = Temporal.PlainDate.from(day);
  return { kind, name: `${yearOfWeek}-W${String(weekOfYear).padStart(2, '0')}`, from, to: addDays(from, 6) };
}

/** The week or month before. */
export function previousPeriod({ kind, from }: ReportPeriod): ReportPeriod {
  return reportPeriodOf(kind, addDays(from, -1));
}

/** The period of a name such as `2026-W47` or `2026-11`, from 1970 to 9998; `undefined` where there is no such period. */
export function readReportPeriod(text: string): ReportPeriod | undefined {
  const [, year, week] = /^(\d{4})-(?:W(\d\d)|\d\d)$/.exec(text) ?? [];
  if (year === undefined || year === '9999') return undefined;
  const first = week === undefined ? `${text}-01` : `${year}-01-04`;
  if (!isDay(first)) return undefined;
  const period =
    week === undefined
      ? reportPeriodOf('monthly', first)
      : reportPeriodOf('weekly', addDays(first, 7 * (Number(week) - 1)));
  return period.name === text ? period : undefined;
}

/** The last week or month that is over. */
export function lastFullPeriod(kind: ReportKind, zone: TimeZone, now: Date): ReportPeriod {
  return previousPeriod(reportPeriodOf(kind, dayOf(zone, now)));
}

/** The period that reports are due about, from 09:00 of the day after it, for seven days (reports.md). */
export function duePeriod(kind: ReportKind, zone: TimeZone, now: Date): ReportPeriod | undefined {
  const period = lastFullPeriod(kind, zone, now);
  return now < dueFrom(zone, period) || isTooLate(zone, period, now) ? undefined : period;
}

/** Whether the report of a period is not sent any more. */
export function isTooLate(zone: TimeZone, { to }: ReportPeriod, now: Date): boolean {
  return now >= endOfDay(zone, addDays(to, LATEST_DAYS));
}

/** When a report is tried again after this many failures; `undefined` if it is abandoned, or it will be too late by then. */
export function retryTime(zone: TimeZone, period: ReportPeriod, failures: number, now: Date): Date | undefined {
  const delay = retryDelay(failures);
  if (delay === undefined) return undefined;
  const time = new Date(now.getTime() + delay);
  return isTooLate(zone, period, time) ? undefined : time;
}

/** The instant when the zone's clock first shows 09:00 on the day after the period; its clocks may change that night. */
function dueFrom(zone: TimeZone, { to }: ReportPeriod): Date {
  const next = addDays(to, 1);
  // A day without such an hour is one that the zone skipped.
  return (
    hoursOf(zone, next, next).find((time) => hourOf(zone, time) >= FIRST_HOUR) ?? startOfDay(zone, addDays(next, 1))
  );
}

function hourOf(zone: TimeZone, time: Date): number {
  return Number(formatWithOffset(zone, time).slice(11, 13));
}
