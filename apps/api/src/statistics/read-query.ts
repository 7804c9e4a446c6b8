import { InvalidFields } from '@hitherto/domain/base';
import {
  type Comparison,
  dayOf,
  daysBetween,
  defaultInterval,
  type Interval,
  MAX_DAYS_OF_HOURS,
  namedPeriod,
  type Period,
  readPeriod,
  type TimeZone,
} from '@hitherto/domain/calendar';
import { countedGoal, type DefinitionsToFind, resolveFilters, unknownGoal } from '@hitherto/domain/definitions';
import type { CountedGoal, StatisticsQuery } from '@hitherto/domain/engine';
import { type Match, type ReadFilters, readFilters } from '@hitherto/domain/visits';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { InvalidRequest, type WireFault } from '@hitherto/http';
import type { ReadQuery } from './query-schemas.ts';

/** The contents of a query, and its faults so far. */
export interface Asked {
  readonly query: ReadQuery;
  readonly period: Period;
  /** The website's. */
  readonly zone: TimeZone;
  readonly filters: Pick<ReadFilters, 'filters' | 'segment'>;
  readonly match: Match;
  readonly faults: readonly WireFault[];
}

/**
 * Reads the period and the filters of a query; faults in the shape of its parameters come first.
 *
 * @param own the names of the parameters that are no filters
 */
export function readAsked(
  query: ReadQuery,
  shapeFaults: readonly WireFault[],
  zone: TimeZone,
  now: Date,
  own: ReadonlySet<string>,
): Asked {
  const today = dayOf(zone, now);
  const blamed = new Set(shapeFaults.map(({ field }) => field));
  const usable = <T>(name: string, value: T | undefined) => (blamed.has(name) ? undefined : value);
  const read = readFilters(filtersIn(query, own), true);
  const period = readPeriod(usable('from', query.from), usable('to', query.to), today);
  const found: WireFault[] = 'faults' in period ? [...period.faults] : [];
  for (const fault of read.faults) found.push(fault.code === 'unknown' ? withParameters(fault, own) : fault);
  return {
    query,
    period: 'period' in period ? period.period : namedPeriod('28d', today),
    zone,
    filters: read,
    match: query.match ?? 'all',
    faults: [...shapeFaults, ...found.filter(({ field }) => !blamed.has(field))],
  };
}

/** Reads a query that has no filters. */
export function readAskedPeriod(query: ReadQuery, shapeFaults: readonly WireFault[], zone: TimeZone, now: Date): Asked {
  return readAsked(query, shapeFaults, zone, now, new Set(Object.keys(query)));
}

function filtersIn(query: ReadQuery, own: ReadonlySet<string>): [string, string[]][] {
  return Object.entries(query)
    .filter(([name]) => !own.has(name))
    .map(([name, values]) => [name, [values].flat().map(String)]);
}

function withParameters(fault: WireFault, own: ReadonlySet<string>): WireFault {
  return { ...fault, detail: `${fault.detail} The other parameters are ${[...own, 'segment'].join(', ')}.` };
}

/** Throws `InvalidRequest` if there are faults. */
export function rejectFaults(faults: readonly WireFault[]): void {
  if (faults.length > 0) throw new InvalidRequest(faults);
}

/** The comparison that a query asks for. Throws `InvalidRequest` with all faults. */
export function readComparison({ query, faults }: Asked): Comparison | undefined {
  rejectFaults(faults);
  return query.compare;
}

/** The interval that a query asks for, or the one that suits its period. Throws `InvalidRequest` with all faults. */
export function readInterval({ query, period, faults }: Asked): Interval {
  // Without its own period the query has a default, which was not sent.
  const hasPeriod = faults.every(({ field }) => field !== 'from' && field !== 'to');
  const tooLong = hasPeriod && query.interval === 'hour' && daysBetween(period.from, period.to) > MAX_DAYS_OF_HOURS;
  const detail = `A series by hour must have at most ${MAX_DAYS_OF_HOURS} days.`;
  rejectFaults(tooLong ? [...faults, { field: 'interval', code: 'not_allowed', detail }] : faults);
  return query.interval ?? defaultInterval(period);
}

/** A query with everything that it names. */
interface Resolved {
  readonly query: StatisticsQuery;
  /** The goal whose conversions are added to each row, if any. */
  readonly conversion: CountedGoal | undefined;
}

/** Looks up the goals and the segment that a query names. Throws `InvalidFields` if one of them does not exist. */
export async function resolveAsked(
  deps: { readonly definitions: DefinitionsToFind },
  website: WebsiteKey,
  { query, period, filters, match }: Asked,
): Promise<Resolved> {
  const goalIds = query.conversion === undefined ? [] : [query.conversion.toLowerCase()];
  const [resolved, [goal]] = await Promise.all([
    resolveFilters(deps, website, filters, match),
    goalIds.length === 0 ? [] : deps.definitions.goal.findAll(website, goalIds),
  ]);
  const isUnknown = goalIds.length > 0 && goal === undefined;
  const faults = isUnknown ? [...resolved.faults, unknownGoal('conversion')] : resolved.faults;
  if (faults.length > 0) throw new InvalidFields(faults);
  return {
    query: {
      websiteId: website.websiteId,
      ...period,
      filters: resolved.filters,
      goals: resolved.goals,
      hidden: query.hidden,
      // Rates compare them with the visits that reach the goal.
      onlyHits: goal !== undefined,
    },
    conversion: goal && countedGoal(goal),
  };
}
