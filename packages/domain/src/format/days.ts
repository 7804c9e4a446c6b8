import type { Day } from '../statistics/calendar/days.ts';

const options = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...parts });

const DATE = options({ day: 'numeric', month: 'short' });
const DATE_OF_YEAR = options({ day: 'numeric', month: 'short', year: 'numeric' });
const FULL_DATE = options({ day: 'numeric', month: 'long', year: 'numeric' });
const WEEKDAY = options({ weekday: 'short' });
const MONTH = options({ month: 'short', year: 'numeric' });

const at = (day: Day) => new Date(`${day}T00:00:00Z`);

/** `11 Nov`. */
export function formatDay(day: Day): string {
  return DATE.format(at(day));
}

/** `3 March 2026`. */
export function formatFullDay(day: Day): string {
  return FULL_DATE.format(at(day));
}

/** `Wed 11 Nov`. */
export function formatWeekday(day: Day): string {
  return `${WEEKDAY.format(at(day))} ${DATE.format(at(day))}`;
}

/** `Nov 2026`. */
export function formatMonth(day: Day): string {
  return MONTH.format(at(day));
}

/** `21 Nov`, `25 Oct to 21 Nov`, with years where they differ or `year` asks for them. */
export function formatPeriod(from: Day, to: Day, year = from.slice(0, 4) !== to.slice(0, 4)): string {
  const last = year ? DATE_OF_YEAR.format(at(to)) : DATE.format(at(to));
  if (from === to) return last;
  const first = from.slice(0, 4) === to.slice(0, 4) ? DATE.format(at(from)) : DATE_OF_YEAR.format(at(from));
  return `${first} to ${last}`;
}
