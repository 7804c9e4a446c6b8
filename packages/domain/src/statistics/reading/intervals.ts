import { type Day, daysOf, type Interval, type Period, startOfMonth, startOfWeek } from '../calendar/days.ts';
import { hoursOf, startOfHour, type TimeZone } from '../calendar/time-zone.ts';

/** The intervals of a period, empty ones included. */
export interface Intervals {
  /** In order of time: a day, or the instant at which an hour begins. */
  readonly starts: readonly (Day | Date)[];
  /** The same for all days or hours of one interval. */
  readonly keyOf: (start: Day | Date) => string;
}

/** A week or month that is only partly in the period starts at its true first day. */
export function intervalsOf(zone: TimeZone, { from, to }: Period, interval: Interval): Intervals {
  if (interval === 'hour') {
    const starts = hoursOf(zone, from, to);
    const known = new Set(starts.map(startKey));
    // Days that were summarised in another time zone have its hours, which can begin within these.
    const hourOf = (start: Day | Date) =>
      typeof start === 'string' || known.has(startKey(start)) ? start : startOfHour(zone, start);
    return { starts, keyOf: (start) => startKey(hourOf(start)) };
  }
  const startOf = { day: (day: Day) => day, week: startOfWeek, month: startOfMonth }[interval];
  const starts = [...new Set(daysOf(from, to).map(startOf))];
  return { starts, keyOf: (start) => (typeof start === 'string' ? startOf(start) : startKey(start)) };
}

/** The items by their keys. */
export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function startKey(start: Day | Date): string {
  return typeof start === 'string' ? start : start.toISOString();
}
