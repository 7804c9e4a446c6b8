import {
  addDays,
  addMonths,
  type Day,
  daysBetween,
  isDay,
  MAX_PERIOD_DAYS,
  type Period,
  startOfMonth,
} from '@hitherto/domain';
import { Refusal } from './refusal.ts';

/**
 * The days of a `date_range`. As in Plausible, ranges of days and months that are relative to today do not have today, nor this
 * month.
 *
 * @param firstDay the first day with a hit
 */
export function readDateRange(range: unknown, today: Day, firstDay: Day | undefined): Period {
  if (Array.isArray(range)) return readCustom(range);
  const [, count, unit] = /^([1-9]\d{0,3})(d|mo)$/.exec(String(range)) ?? [];
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
      throw new Refusal(
        'The "date_range" must be "day", "7d", "28d", "30d", "91d", "month", "6mo", "12mo", "year", "all", or two days as YYYY-MM-DD. Numbers here are of whole days.',
      );
  }
}

function readCustom(range: readonly unknown[]): Period {
  const [from, to, ...others] = range;
  const areDays = typeof from === 'string' && typeof to === 'string' && isDay(from) && isDay(to);
  if (!areDays || others.length > 0) {
    throw new Refusal('A custom "date_range" must be two days as YYYY-MM-DD: numbers here are of whole days.');
  }
  if (to < from) throw new Refusal('The "date_range" ends before it begins.');
  return bounded({ from, to });
}

function bounded(period: Period): Period {
  if (daysBetween(period.from, period.to) <= MAX_PERIOD_DAYS) return period;
  throw new Refusal(`A "date_range" must have at most ${MAX_PERIOD_DAYS} days.`);
}
