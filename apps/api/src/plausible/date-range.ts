import {
  addDays,
  addMonths,
  type Comparison,
  comparedPeriod,
  type Day,
  dayOf,
  daysBetween,
  endOfDay,
  isDay,
  MAX_PERIOD_DAYS,
  type Period,
  startOfDay,
  startOfHour,
  startOfMonth,
  type TimeZone,
} from '@hitherto/domain/calendar';
import { InvalidQuery } from './invalid-query.ts';

/** The days of a range, and the instants at which it begins and ends where these days are not whole. */
export interface DateRange {
  readonly period: Period;
  readonly hours?: { readonly from: Date; readonly until: Date };
}

/** The context of relative ranges and times. */
export interface Calendar {
  readonly zone: TimeZone;
  readonly today: Day;
  /** The first day with a hit. */
  readonly firstDay: Day | undefined;
}

/**
 * Reads a `date_range`. As in Plausible, ranges of days and months that are relative to today do not have today, nor this
 * month.
 */
export function readDateRange(range: unknown, calendar: Calendar): DateRange {
  if (Array.isArray(range)) return readCustom(range, calendar.zone);
  return { period: readNamed(range, calendar) };
}

function readNamed(range: unknown, { today, firstDay }: Calendar): Period {
  const [, count, unit] = /^([1-9]\d{0,3})(d|mo)$/.exec(typeof range === 'string' ? range : '') ?? [];
  if (unit === 'd') return bounded({ from: addDays(today, -Number(count)), to: addDays(today, -1) });
  if (unit === 'mo') {
    const month = startOfMonth(today);
    return bounded({ from: addMonths(month, -Number(count)), to: addDays(month, -1) });
  }
  switch (range) {
    case 'day':
      return { from: today, to: today };
    case 'month':
      return { from: startOfMonth(today), to: today };
    case 'year':
      return { from: `${today.slice(0, 4)}-01-01`, to: today };
    case 'all':
      return bounded({ from: firstDay ?? today, to: today });
    default:
      throw new InvalidQuery(
        'The "date_range" must be "day", "7d", "28d", "30d", "91d", "month", "6mo", "12mo", "year", "all", or a list of two days or times. Numbers here are of whole days, and by the hour.',
      );
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

function readCustom(range: readonly unknown[], zone: TimeZone): DateRange {
  const [from, to, ...others] = range;
  if (typeof from === 'string' && typeof to === 'string' && others.length === 0) {
    if (isDate(from) && isDate(to)) {
      if (to < from) throw endsBefore();
      return { period: bounded({ from, to }) };
    }
    if (TIME.test(from) && TIME.test(to)) return readTimes(new Date(from), new Date(to), zone);
  }
  throw new InvalidQuery(
    'A custom "date_range" must be two days as YYYY-MM-DD, or two times with an offset, such as 2026-11-20T12:00:00+01:00.',
  );
}

/** The last second belongs to the range. */
function readTimes(from: Date, last: Date, zone: TimeZone): DateRange {
  const until = new Date(Math.floor(last.getTime() / 1_000) * 1_000 + 1_000);
  if (!(from < until)) throw endsBefore();
  const period = bounded({ from: dayOf(zone, from), to: dayOf(zone, last) });
  const isAt = (time: Date, start: Date) => time.getTime() === start.getTime();
  if (isAt(from, startOfDay(zone, period.from)) && isAt(until, endOfDay(zone, period.to))) return { period };
  if (isAt(from, startOfHour(zone, from)) && isAt(until, startOfHour(zone, until))) {
    return { period, hours: { from, until } };
  }
  throw new InvalidQuery(
    'The times of a "date_range" must be whole days or hours of the site, such as from 12:00:00 to 15:59:59.',
  );
}

/** A day that has a day after it, as YYYY-MM-DD. */
export function isDate(text: string): boolean {
  return isDay(text) && text < '9999';
}

/** A period and the one to compare it with. */
export interface ComparedPeriods {
  readonly own: Period;
  readonly other: Period;
  /** The last day of `own` is not over, so the last one of `other` counts until the same time. */
  readonly isOpen: boolean;
}

/** The periods that `include.comparisons` asks for. Days to come have no numbers yet, so they are not compared. */
export function comparisonOf(sent: unknown, { period, hours }: DateRange, today: Day): ComparedPeriods | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (hours !== undefined) throw new InvalidQuery('"include.comparisons" is not supported for a part of a day.');
  const {
    mode,
    date_range: range,
    match_day_of_week: matchesWeekday,
    ...others
  }: Record<string, unknown> = Object(sent);
  const isKnown = Object.keys(others).length === 0 && ['undefined', 'boolean'].includes(typeof matchesWeekday);
  const own = period.from <= today && today < period.to ? { from: period.from, to: today } : period;
  const compared = (comparison: Comparison): ComparedPeriods => {
    const other = comparedPeriod(own, comparison);
    const shifted = matchesWeekday === true ? withWeekdayOf(own, other) : other;
    return { own, other: bounded(shifted), isOpen: own.to === today };
  };
  if (isKnown && mode === 'previous_period') return compared('previous');
  if (isKnown && mode === 'year_over_year') return compared('year');
  const [from, to, ...more]: readonly unknown[] = Array.isArray(range) ? range : [];
  const isCustom = isKnown && mode === 'custom' && matchesWeekday !== true && more.length === 0;
  if (isCustom && typeof from === 'string' && typeof to === 'string' && isDate(from) && isDate(to)) {
    if (to < from) throw endsBefore();
    return { own: period, other: bounded({ from, to }), isOpen: false };
  }
  throw new InvalidQuery(
    '"include.comparisons" must have the "mode" "previous_period", "year_over_year", or "custom" with a "date_range" of two days; "match_day_of_week" goes with the first two.',
  );
}

/** Moves a period to the nearest days on which it begins on the same weekday as another, but not on the same day. */
function withWeekdayOf({ from: own }: Period, { from, to }: Period): Period {
  const ahead = (daysBetween(from, own) - 1) % 7;
  const [near, far] = ahead <= 3 ? [ahead, ahead - 7] : [ahead - 7, ahead];
  const shift = addDays(from, near) === own ? far : near;
  return { from: addDays(from, shift), to: addDays(to, shift) };
}

function endsBefore(): InvalidQuery {
  return new InvalidQuery('The "date_range" ends before it begins.');
}

function bounded(period: Period): Period {
  if (isDate(period.from) && isDate(period.to) && daysBetween(period.from, period.to) <= MAX_PERIOD_DAYS) return period;
  throw new InvalidQuery(`A "date_range" must have at most ${MAX_PERIOD_DAYS} days, from 1970 to 9998.`);
}
