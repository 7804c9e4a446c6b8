import { Temporal } from 'temporal-polyfill';
import { addDays, type Day, isDay, startOfWeek } from '../calendar/days.ts';
import { dayOf, endOfDay, formatWithOffset, hoursOf, startOfDay, type TimeZone } from '../calendar/time-zone.ts';
import { retryDelay } from '../tasks/retries.ts';

const FIRST_HOUR = 9;

/** An ISO week, from Monday to Sunday. */
export interface Week {
  /** Such as `2026-W47`; names sort by time. The week's Thursday decides the year. */
  readonly name: string;
  readonly from: Day;
  readonly to: Day;
}

/** The ISO week of a day. */
export function isoWeekOf(day: Day): Week {
  const from = startOfWeek(day);
  const { yearOfWeek, weekOfYear } = Temporal.PlainDate.from(day);
  return { name: `${yearOfWeek}-W${String(weekOfYear).padStart(2, '0')}`, from, to: addDays(from, 6) };
}

/** The week before. */
export function previousWeek(week: Week): Week {
  return isoWeekOf(addDays(week.from, -7));
}

/** The week of a name such as `2026-W47`, from 1970 to 9998; `undefined` where there is no such week. */
export function readWeek(text: string): Week | undefined {
  const [, year, number] = /^(\d{4})-W(\d\d)$/.exec(text) ?? [];
  if (year === undefined || number === undefined || !isDay(`${year}-01-04`) || year === '9999') return undefined;
  const week = isoWeekOf(addDays(`${year}-01-04`, 7 * (Number(number) - 1)));
  return week.name === text ? week : undefined;
}

/** The last week that is over. */
export function lastFullWeek(zone: TimeZone, now: Date): Week {
  return previousWeek(isoWeekOf(dayOf(zone, now)));
}

/**
 * The week that reports are due about, from 09:00 of the Monday after it until the end of that Monday's week (reports.md).
 */
export function dueWeek(zone: TimeZone, now: Date): Week | undefined {
  const week = lastFullWeek(zone, now);
  return now < dueFrom(zone, week) ? undefined : week;
}

/** When a report is tried again after this many failures; `undefined` if it is abandoned, or its week will be too old by then. */
export function retryTime(zone: TimeZone, week: Week, failures: number, now: Date): Date | undefined {
  const delay = retryDelay(failures);
  if (delay === undefined) return undefined;
  const time = new Date(now.getTime() + delay);
  return time < endOfDay(zone, addDays(week.to, 7)) ? time : undefined;
}

/** The instant when the zone's clock first shows 09:00 on the Monday after the week; its clocks may change that night. */
function dueFrom(zone: TimeZone, { to }: Week): Date {
  const monday = addDays(to, 1);
  const hours = hoursOf(zone, monday, monday);
  // A Monday without such an hour is one that the zone skipped.
  return hours.find((time) => hourOf(zone, time) >= FIRST_HOUR) ?? startOfDay(zone, addDays(monday, 1));
}

function hourOf(zone: TimeZone, time: Date): number {
  return Number(formatWithOffset(zone, time).slice(11, 13));
}
