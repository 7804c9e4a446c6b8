import type { Day } from '../calendar/days.ts';
import type { StatisticsReads, WebsitePeriod } from './statistics-repository.ts';

/** What a list of websites shows of one. */
export interface GlanceQuery extends WebsitePeriod {
  /** A day of the period whose hits before a moment are counted, too. */
  readonly cut: { readonly day: Day; readonly until: Date };
  /** Between these moments, both included, visitors are current. */
  readonly since: Date;
  readonly now: Date;
}

/** The visitors of a day, as in `Totals`. */
export interface DayVisitors {
  readonly day: Day;
  readonly visitors: number;
  readonly gaps?: number;
}

/** The visitors of a website. */
export interface Glance {
  /** The days that have some, in order of time. */
  readonly days: readonly DayVisitors[];
  /** Those of the hits before the moment of the cut day; `undefined` where only sums of that day are known. */
  readonly cut: number | undefined;
  readonly current: number;
  /** The time of the last stored hit of the period. */
  readonly lastHit: Date | undefined;
  /** The first day with a hit, whatever the period. */
  readonly firstDay: Day | undefined;
}

/** The glance at a website that does not exist. */
export const NO_GLANCE: Glance = { days: [], cut: 0, current: 0, lastHit: undefined, firstDay: undefined };

/** Reads the visitors of many websites at once. */
export interface GlanceReads {
  /** One result for each query, each of another website, in their order: from few statements however many there are. */
  glances(queries: readonly GlanceQuery[]): Promise<readonly Glance[]>;
}

/** The visitors of a glance by other reads: of a website some of whose visits are hidden. */
export async function glanceByReads(
  reads: Pick<StatisticsReads, 'series' | 'totals' | 'visitorsBetween' | 'hasSums'>,
  { cut, since, now, ...period }: GlanceQuery,
): Promise<Pick<Glance, 'days' | 'cut' | 'current'>> {
  const { websiteId } = period;
  const ofCut = { websiteId, from: cut.day, to: cut.day, until: cut.until, filters: [] };
  const days = await reads.series({ ...period, filters: [] }, 'day');
  return {
    days: days
      .filter(({ visitors }) => visitors > 0)
      .map(({ start, visitors, gaps }) => ({ day: String(start), visitors, ...(gaps === undefined ? {} : { gaps }) })),
    cut: (await reads.hasSums(websiteId, cut.day)) ? undefined : (await reads.totals(ofCut)).visitors,
    current: await reads.visitorsBetween(websiteId, since, now),
  };
}
