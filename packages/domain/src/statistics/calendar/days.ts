import { Temporal } from 'temporal-polyfill';

/** A calendar day: `YYYY-MM-DD`. */
export type Day = string;

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Counts days from 1970-01-01, so that they can be added and compared. */
export function dayNumberOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

export function dayOfNumber(number: number): Day {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}

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

/** Tells whether a text is a calendar day from 1970-01-01 to 9999-12-31: `2026-02-29` is none. */
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
