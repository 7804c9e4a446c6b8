import { Temporal } from 'temporal-polyfill';
import { addDays, type Day, isDay, startOfWeek } from '../statistics/calendar/days.ts';

/** An ISO week, from Monday to Sunday. */
export interface Week {
  /** Such as `2026-W47`; names sort by time. The year is that of the week's Thursday. */
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
