import { daysOf, startOfMonth, startOfWeek } from './days.ts';
import type { Day } from './hit.ts';
import { type Comparison, comparedPeriod, type Interval, type Period } from './period.ts';
import type { SeriesPoint, StatisticsQuery, StatisticsRepository, Totals } from './statistics-repository.ts';
import { hoursOf, type TimeZone } from './time-zone.ts';

/** A visitor counts as current for so long after a hit, in milliseconds (statistics.md, section 1). */
const CURRENT_MS = 5 * 60 * 1000;

/** The totals of a period and, where asked for, of the one that it is compared with. */
export interface ComparedTotals {
  readonly totals: Totals;
  readonly comparison: { readonly period: Period; readonly totals: Totals } | undefined;
}

/** A point of a series; `start` is an instant where the interval is an hour. */
export interface Point extends Totals {
  readonly start: Day | Date;
}

interface SeriesDependencies {
  readonly statistics: Pick<StatisticsRepository, 'series'>;
  readonly zone: TimeZone;
}

/**
 * The totals of a website. This and the other reads leave it to the caller whether the website may be seen.
 */
export async function showStatistics(
  deps: { readonly statistics: Pick<StatisticsRepository, 'totals'> },
  query: StatisticsQuery,
  comparison?: Comparison,
): Promise<ComparedTotals> {
  if (comparison === undefined) return { totals: await deps.statistics.totals(query), comparison: undefined };
  const period = comparedPeriod(query, comparison);
  const [totals, compared] = await Promise.all([
    deps.statistics.totals(query),
    deps.statistics.totals({ ...query, ...period }),
  ]);
  return { totals, comparison: { period, totals: compared } };
}

/**
 * The numbers of a website by interval, empty ones included, in order of time. A week or month that the period cuts starts
 * at its true first day and has the numbers of the period.
 */
export async function showSeries(
  { statistics, zone }: SeriesDependencies,
  query: StatisticsQuery,
  interval: Interval,
): Promise<Point[]> {
  const read = await statistics.series(query, interval === 'hour' ? 'hour' : 'day');
  return pointsOf(zone, query, interval, read);
}

/** The numbers of a period, whole and by interval. */
export interface PeriodNumbers {
  readonly totals: Totals;
  readonly points: readonly Point[];
}

/**
 * The numbers of a period and of the one before. Every number of a period is a sum over its days, so that one read of the
 * days of both is enough, and one of their hours where these are asked for.
 */
export async function showWithPrevious(
  { statistics, zone }: SeriesDependencies,
  query: StatisticsQuery,
  interval: Interval,
): Promise<{ readonly current: PeriodNumbers; readonly previous: PeriodNumbers }> {
  const before = comparedPeriod(query, 'previous');
  // One period follows the other.
  const both = { ...query, from: before.from };
  const [days, hours] = await Promise.all([
    statistics.series(both, 'day'),
    interval === 'hour' ? statistics.series(both, 'hour') : undefined,
  ]);
  const numbersOf = (period: Period): PeriodNumbers => ({
    totals: pointsOf(zone, period, 'day', days).reduce<Totals>(sumOf, NOTHING),
    points: pointsOf(zone, period, interval, hours ?? days),
  });
  return { current: numbersOf(query), previous: numbersOf(before) };
}

/** Distinct visitors of the last 5 minutes. */
export function showCurrentVisitors(
  deps: { readonly statistics: Pick<StatisticsRepository, 'currentVisitors'>; readonly now: () => Date },
  websiteId: string,
): Promise<number> {
  return deps.statistics.currentVisitors(websiteId, new Date(deps.now().getTime() - CURRENT_MS));
}

const NOTHING: Totals = {
  visitors: 0,
  visits: 0,
  pageviews: 0,
  events: 0,
  bounces: 0,
  visitsWithPageviews: 0,
  duration: 0,
};

function startKey(start: Day | Date): string {
  return typeof start === 'string' ? start : start.toISOString();
}

/** The points of a period, of days or hours that were read; those of other periods are passed over. */
function pointsOf(zone: TimeZone, { from, to }: Period, interval: Interval, read: readonly SeriesPoint[]): Point[] {
  if (interval === 'hour') return filledIn(hoursOf(zone, from, to), read, startKey);
  const startOf = { day: (day: Day) => day, week: startOfWeek, month: startOfMonth }[interval];
  const starts = [...new Set(daysOf(from, to).map(startOf))];
  const ofPeriod = read.filter(({ start }) => typeof start === 'string' && from <= start && start <= to);
  return filledIn(starts, ofPeriod, (start) => (typeof start === 'string' ? startOf(start) : startKey(start)));
}

/** One point for each start: the sum of the points that `keyOf` puts there. */
function filledIn(
  starts: readonly (Day | Date)[],
  points: readonly SeriesPoint[],
  keyOf: (start: Day | Date) => string,
): Point[] {
  const sums = new Map<string, Totals>();
  for (const point of points) {
    const key = keyOf(point.start);
    sums.set(key, sumOf(sums.get(key) ?? NOTHING, point));
  }
  return starts.map((start) => ({ start, ...(sums.get(startKey(start)) ?? NOTHING) }));
}

function sumOf(a: Totals, b: Totals): Totals {
  return {
    visitors: a.visitors + b.visitors,
    visits: a.visits + b.visits,
    pageviews: a.pageviews + b.pageviews,
    events: a.events + b.events,
    bounces: a.bounces + b.bounces,
    visitsWithPageviews: a.visitsWithPageviews + b.visitsWithPageviews,
    duration: a.duration + b.duration,
  };
}
