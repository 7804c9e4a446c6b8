import type { Day } from '../calendar/days.ts';
import { type Engagement, engagementOf } from './engagement.ts';

/** The numbers that sums of imported days lack or bound; each is a bit of {@link Totals.gaps}. */
export const GAPS = {
  /** Visitors were added up from finer numbers, so there are at most as many. */
  visitorsAtMost: 1,
  /** Visits are unknown, and so are bounces and durations. */
  visits: 2,
} as const;

/** Sums over the days of a period; all rates are computed from them. */
export interface Totals {
  readonly visitors: number;
  readonly visits: number;
  readonly pageviews: number;
  readonly events: number;
  /** Visits of exactly one pageview and no event. */
  readonly bounces: number;
  /** Visits that have a pageview. */
  readonly visitsWithPageviews: number;
  /** Of all visits, in milliseconds. */
  readonly duration: number;
  /** How pageviews were looked at; absent where none was measured, in no visit. */
  readonly engagement?: Engagement;
  /** The {@link GAPS} of these numbers; absent where all are exact, as for hits. */
  readonly gaps?: number;
}

/** Whether there are at most as many visitors. */
export function areVisitorsAtMost({ gaps = 0 }: Pick<Totals, 'gaps'>): boolean {
  return (gaps & GAPS.visitorsAtMost) !== 0;
}

/** The visits; `null` where they are not known. */
export function knownVisits({ visits, gaps = 0 }: Pick<Totals, 'visits' | 'gaps'>): number | null {
  return (gaps & GAPS.visits) === 0 ? visits : null;
}

/** The totals of nothing. */
export const NO_TOTALS: Totals = {
  visitors: 0,
  visits: 0,
  pageviews: 0,
  events: 0,
  bounces: 0,
  visitsWithPageviews: 0,
  duration: 0,
};

/** Adds up the rows: a visitor of two rows counts twice. The sum has the {@link GAPS} of every row. */
export function sumTotals(rows: readonly Totals[]): Totals {
  const sum = (name: Exclude<keyof Totals, 'gaps' | 'engagement'>) => rows.reduce((total, row) => total + row[name], 0);
  const gaps = rows.reduce((all, row) => all | (row.gaps ?? 0), 0);
  return {
    visitors: sum('visitors'),
    visits: sum('visits'),
    pageviews: sum('pageviews'),
    events: sum('events'),
    bounces: sum('bounces'),
    visitsWithPageviews: sum('visitsWithPageviews'),
    duration: sum('duration'),
    ...engagementOf((name) => rows.reduce((total, { engagement }) => total + (engagement?.[name] ?? 0), 0)),
    ...(gaps === 0 ? {} : { gaps }),
  };
}

/**
 * The numbers of one day, or of one hour, whose `start` is the instant at which it begins. Visitors, pageviews and
 * events are those with hits in it; visits, bounces, visits with pageviews and durations are of the visits that begin
 * in it.
 */
export interface SeriesPoint extends Totals {
  readonly start: Day | Date;
}
