import {
  addDays,
  addMonths,
  type Comparison,
  comparedPeriod,
  type Day,
  daysBetween,
  type Period,
} from '../calendar/days.ts';
import { dayOf, sameTimeOn, type TimeZone } from '../calendar/time-zone.ts';
import type { StatisticsQuery, StatisticsReads, WebsitePeriod } from '../engine/statistics-repository.ts';
import type { Totals } from '../visits/totals.ts';

/** The days that the elapsed part of a period is compared with. */
export interface ComparedDays extends Period {
  /**
   * The moment on the last day until which its hits count: the same time of day as now. `undefined` where days are compared
   * whole.
   */
  readonly until: Date | undefined;
  /** The period is not over, but is compared with whole days: only sums of the last one are known. */
  readonly isUneven: boolean;
}

export interface CompareDependencies {
  readonly statistics: Pick<StatisticsReads, 'hasSums'>;
  /** The website's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
}

/**
 * The days to compare the period of a query with. A period that is not over is compared with as much of them.
 *
 * @param comparison how they are chosen, or the days themselves
 */
export async function findComparedDays(
  deps: CompareDependencies,
  { websiteId, from, to }: StatisticsQuery,
  comparison: Comparison | Period,
): Promise<ComparedDays> {
  const period = wholePeriod({ from, to }, comparison);
  const now = deps.now();
  const today = dayOf(deps.zone, now);
  if (today < from || today > to) return { ...period, until: undefined, isUneven: false };
  const last = comparison === 'year' ? addMonths(today, -12) : addDays(period.from, daysBetween(from, today) - 1);
  if (last > period.to) return { ...period, until: undefined, isUneven: false };
  return { from: period.from, ...(await cutDay(deps, websiteId, last)) };
}

/** The end of days that are compared with days until now. */
export async function cutDay(
  { statistics, zone, now }: CompareDependencies,
  websiteId: string,
  to: Day,
): Promise<Omit<ComparedDays, 'from'>> {
  // Nobody knows the hours of a sum.
  const isUneven = await statistics.hasSums(websiteId, to);
  return { to, until: isUneven ? undefined : sameTimeOn(zone, now(), to), isUneven };
}

const COUNTS = ['visitors', 'visits', 'pageviews', 'events'] as const;

/** Whether nothing was counted. */
export function isNothing(totals: Totals): boolean {
  return COUNTS.every((name) => totals[name] === 0);
}

/** The numbers of a period and, if requested, of the days to compare with. */
export interface Compared<Shown> {
  readonly shown: Shown;
  readonly compared: { readonly days: ComparedDays; readonly shown: Shown } | undefined;
}

/** Reads the period of a query and the days to compare with. */
export async function showCompared<Shown>(
  deps: CompareDependencies,
  query: StatisticsQuery,
  comparison: Comparison | undefined,
  read: (query: StatisticsQuery) => Promise<Shown>,
): Promise<Compared<Shown>> {
  if (comparison === undefined) return { shown: await read(query), compared: undefined };
  const readOther = async () => {
    const days = await findComparedDays(deps, query, comparison);
    return { days, shown: await read(withDays(query, days)) };
  };
  const [shown, compared] = await Promise.all([read(query), readOther()]);
  return { shown, compared };
}

/** The days of a query and those to compare them with. */
export function periodOf(
  { websiteId, from, to }: StatisticsQuery,
  comparison: Comparison | Period | undefined,
): WebsitePeriod {
  if (comparison === undefined) return { websiteId, from, to };
  const compared = wholePeriod({ from, to }, comparison);
  return { websiteId, from: compared.from < from ? compared.from : from, to: compared.to > to ? compared.to : to };
}

function wholePeriod(period: Period, comparison: Comparison | Period): Period {
  return typeof comparison === 'string' ? comparedPeriod(period, comparison) : comparison;
}

/** The query, of these days. */
export function withDays(query: StatisticsQuery, { from, to, until }: ComparedDays): StatisticsQuery {
  return { ...query, from, to, ...(until === undefined ? {} : { until }) };
}
