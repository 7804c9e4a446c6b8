import {
  allOf,
  type Comparison,
  type Day,
  DIMENSIONS,
  type Dimension,
  daysBetween,
  defaultInterval,
  FILTER_LIMITS,
  type Filter,
  type Interval,
  MAX_DAYS_OF_HOURS,
  namedPeriod,
  type Period,
  readPeriod,
  type StatisticsQuery,
  valueFilter,
} from '@hitherto/domain';
import { InvalidRequest, type WireFault } from '@hitherto/http';
import type { ReadQuery } from './query-schemas.ts';

/** The contents of a query, and its faults so far. */
export interface Asked {
  readonly query: ReadQuery;
  readonly period: Period;
  readonly filters: readonly Filter[];
  readonly faults: readonly WireFault[];
}

/**
 * Reads the period and the filters of a query; faults in the shape of its parameters come first.
 *
 * @param dimensions those that can be filtered by
 */
export function readAsked(
  query: ReadQuery,
  shapeFaults: readonly WireFault[],
  today: Day,
  dimensions: readonly Dimension[] = DIMENSIONS,
): Asked {
  const blamed = new Set(shapeFaults.map(({ field }) => field));
  const usable = <T>(name: string, value: T | undefined) => (blamed.has(name) ? undefined : value);
  const faults = [...shapeFaults];
  const period = readPeriod(usable('from', query.from), usable('to', query.to), today);
  if ('faults' in period) faults.push(...period.faults.filter(({ field }) => !blamed.has(field)));

  const filters: Filter[] = [];
  for (const dimension of dimensions) {
    const value = usable(dimension, query[dimension]);
    if (value === undefined) continue;
    if (filters.length === FILTER_LIMITS.filters) {
      faults.push({
        field: dimension,
        code: 'too_many',
        detail: `At most ${FILTER_LIMITS.filters} filters are accepted.`,
      });
      break;
    }
    filters.push(valueFilter(dimension, value === '' ? null : value));
  }
  return { query, period: 'period' in period ? period.period : namedPeriod('28d', today), filters, faults };
}

/** Throws `InvalidRequest` if there are faults. */
export function refuseFaults(faults: readonly WireFault[]): void {
  if (faults.length > 0) throw new InvalidRequest(faults);
}

/** The comparison that a query asks for. Throws `InvalidRequest` with all faults. */
export function readComparison({ query, faults }: Asked): Comparison | undefined {
  refuseFaults(faults);
  return query.compare;
}

/** The interval that a query asks for, or the one that suits its period. Throws `InvalidRequest` with all faults. */
export function readInterval({ query, period, faults }: Asked): Interval {
  // Without a period of its own the query has a default, which was not sent.
  const hasPeriod = faults.every(({ field }) => field !== 'from' && field !== 'to');
  const tooLong = hasPeriod && query.interval === 'hour' && daysBetween(period.from, period.to) > MAX_DAYS_OF_HOURS;
  const detail = `A series by hour has at most ${MAX_DAYS_OF_HOURS} days.`;
  refuseFaults(tooLong ? [...faults, { field: 'interval', code: 'not_allowed', detail }] : faults);
  return query.interval ?? defaultInterval(period);
}

export function toStatisticsQuery(websiteId: string, { period, filters }: Asked): StatisticsQuery {
  return { websiteId, ...period, filters: allOf(filters) };
}
