import { groupBy } from '../base/group-by.ts';
import {
  type Comparison,
  comparedPeriod,
  type Day,
  daysOf,
  type Interval,
  type Period,
  startOfMonth,
  startOfWeek,
} from '../calendar/days.ts';
import { hoursOf, startOfHour, type TimeZone } from '../calendar/time-zone.ts';
import type { Live } from '../engine/live.ts';
import type { ComparedLists, Overview, StatisticsQuery, StatisticsReads } from '../engine/statistics-repository.ts';
import type { Dimension } from '../hits/dimensions.ts';
import { NOT_MEASURED } from '../visits/engagement.ts';
import { minutesBetween } from '../visits/live.ts';
import { knownVisits, type SeriesPoint, sumTotals, type Totals } from '../visits/totals.ts';
import { VISIT_GAP_MS } from '../visits/visits.ts';
import { type CompareDependencies, type ComparedDays, findComparedDays, withDays } from './compare.ts';

/** A visitor counts as current for so long after a hit, in milliseconds (counting.md, "Words"). */
export const CURRENT_MS = 5 * 60 * 1000;

/** A point of a series; `start` is an instant if the interval is an hour. */
export interface Point extends Totals {
  readonly start: Day | Date;
}

interface SeriesDependencies {
  readonly statistics: Pick<StatisticsReads, 'series'>;
  readonly zone: TimeZone;
}

/**
 * The numbers of a website by interval, empty ones included, in order of time. For this and the other reads, the caller checks
 * whether the website may be seen. A week or month that is only partly in
 * the period starts at its true first day, with the numbers of the period.
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

/** The numbers of a period and of the one before, and the first values of dimensions. */
export interface ShownOverview {
  readonly current: PeriodNumbers;
  /** The totals are of `days`; the points are of the whole period to compare with. */
  readonly previous: PeriodNumbers & { readonly days: ComparedDays };
  readonly values: Overview['values'];
}

/**
 * The numbers of a period and of the one to compare with, with the first values of dimensions. Every number of a period is a sum
 * over its days, so only days are read, and hours if requested.
 *
 * @param lists the lists that are compared, if any
 */
export async function showOverview(
  deps: CompareDependencies & { readonly statistics: Pick<StatisticsReads, 'totals' | 'overview' | 'series'> },
  query: StatisticsQuery,
  interval: Interval,
  dimensions: readonly Dimension[],
  limit: number,
  comparison: Comparison = 'previous',
  lists?: ComparedLists,
): Promise<ShownOverview> {
  const { statistics, zone } = deps;
  const before = { ...query, ...comparedPeriod(query, comparison) };
  // Each period on its own: of days before a change of the time zone, hours can be within the other one.
  const hoursOfPeriod = async (asked: StatisticsQuery) =>
    interval === 'hour' ? statistics.series(asked, 'hour') : undefined;
  const compared = await findComparedDays(deps, query, comparison);
  const comparedLists = lists && !compared.isUneven ? { ...lists, query: withDays(query, compared) } : undefined;
  const [{ days, values }, daysBefore, cut, hours, hoursBefore] = await Promise.all([
    statistics.overview(query, dimensions, limit, comparedLists),
    statistics.series(before, 'day'),
    compared.until && statistics.totals(withDays(query, { ...compared, from: compared.to })),
    hoursOfPeriod(query),
    hoursOfPeriod(before),
  ]);
  const whole = daysBefore.filter(({ start }) => (cut === undefined ? start <= compared.to : start < compared.to));
  return {
    current: { totals: sumTotals(days), points: pointsOf(zone, query, interval, hours ?? days) },
    previous: {
      days: compared,
      totals: sumTotals(cut === undefined ? whole : [...whole, cut]),
      points: pointsOf(zone, before, interval, hoursBefore ?? daysBefore),
    },
    values,
  };
}

/** The live view has the visitors of the last half hour: with a longer one, visitors could have two visits in it. */
const LIVE_MS = VISIT_GAP_MS;

/** The visitors of the last half hour, and those of them that are current. */
export interface ShownLive extends Live {
  readonly current: number;
  /** The start of each minute, in milliseconds; the first and the last one count in part. */
  readonly starts: readonly number[];
}

/** The visitors of the last half hour: by minute, and the first `limit` values of lists. */
export async function showLive(
  deps: { readonly statistics: Pick<StatisticsReads, 'visitorsBetween' | 'live'>; readonly now: () => Date },
  websiteId: string,
  limit: number,
): Promise<ShownLive> {
  const now = deps.now();
  const since = new Date(now.getTime() - LIVE_MS);
  const live = await deps.statistics.live(websiteId, since, now, limit);
  const current = await showCurrentVisitors({ ...deps, now: () => now }, websiteId);
  return { ...live, current, starts: minutesBetween(since, now) };
}

/** Distinct visitors of the last 5 minutes. */
export function showCurrentVisitors(
  deps: { readonly statistics: Pick<StatisticsReads, 'visitorsBetween'>; readonly now: () => Date },
  websiteId: string,
): Promise<number> {
  const now = deps.now();
  // Hits from servers may be a little ahead of now.
  return deps.statistics.visitorsBetween(websiteId, new Date(now.getTime() - CURRENT_MS), now);
}

/** The points of a period, of its days or hours. */
function pointsOf(zone: TimeZone, period: Period, interval: Interval, read: readonly SeriesPoint[]): Point[] {
  const { starts, keyOf } = intervalsOf(zone, period, interval);
  const points = groupBy(read, ({ start }) => keyOf(start));
  return starts.map((start) => ({ start, ...sumTotals(points.get(keyOf(start)) ?? []) }));
}

/** Rates as they are shown (api.md, "Statistics"); `null` if there is nothing to divide by. */
export interface Rates {
  /** Bounces of the visits that have a pageview, from 0 to 1, 4 decimals. */
  readonly bounceRate: number | null;
  /** Mean of all visits, in seconds, 1 decimal. */
  readonly visitDuration: number | null;
  /** Pageviews per visit, 2 decimals. */
  readonly viewsPerVisit: number | null;
  /** Mean of measured pageviews: engaged seconds with 1 decimal, and percent without decimals. */
  readonly engagedSeconds: number | null;
  readonly scrollDepth: number | null;
  /** Engaged visits of those with a measured pageview, from 0 to 1, 4 decimals. */
  readonly engagementRate: number | null;
}

/** Numbers of visits are unknown where visits are. */
export function ratesOf(totals: Totals): Rates {
  const { visits, pageviews, bounces, visitsWithPageviews, duration, engagement = NOT_MEASURED } = totals;
  const ofEngagement = {
    engagedSeconds: ratio(engagement.seconds, engagement.measured, 1),
    scrollDepth: ratio(engagement.scroll, engagement.measured, 0),
    engagementRate: ratio(engagement.engagedVisits, engagement.measuredVisits, 4),
  };
  if (knownVisits(totals) === null)
    return { bounceRate: null, visitDuration: null, viewsPerVisit: null, ...ofEngagement };
  return {
    ...ofEngagement,
    bounceRate: ratio(bounces, visitsWithPageviews, 4),
    visitDuration: ratio(duration, visits * 1000, 1),
    viewsPerVisit: ratio(pageviews, visits, 2),
  };
}

/** Scales before dividing, so that halves are rounded up whatever their binary form; `null` if there is nothing to divide by. */
export function ratio(part: number, whole: number, decimals: number): number | null {
  const scale = 10 ** decimals;
  return whole === 0 ? null : Math.round((part * scale) / whole) / scale;
}

/** The intervals of a period, empty ones included. */
interface Intervals {
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

function startKey(start: Day | Date): string {
  return typeof start === 'string' ? start : start.toISOString();
}
