import { groupBy } from '../base/group-by.ts';
import type { Day, Interval, Period } from '../calendar/days.ts';
import type { TimeZone } from '../calendar/time-zone.ts';
import type { CrawlerRepository, CrawlerSums } from '../hits/crawlers.ts';
import { intervalsOf, ratio } from './show-statistics.ts';

/** The intervals of a series of crawlers, whose sums are of days. */
export const CRAWLER_INTERVALS = ['day', 'week', 'month'] as const satisfies readonly Interval[];
export type CrawlerInterval = (typeof CRAWLER_INTERVALS)[number];

interface CrawlerDependencies {
  readonly crawlers: Pick<CrawlerRepository, 'byDay'>;
}

/** The sums of a period. The caller checks whether the website may be seen. */
export async function showCrawlers(
  { crawlers }: CrawlerDependencies,
  websiteId: string,
  { from, to }: Period,
): Promise<CrawlerSums> {
  return sumUp(await crawlers.byDay(websiteId, from, to));
}

/** The sums by interval, empty ones included, as `showSeries` has its points. */
export async function showCrawlerSeries(
  { crawlers, zone }: CrawlerDependencies & { readonly zone: TimeZone },
  websiteId: string,
  period: Period,
  interval: CrawlerInterval,
): Promise<(CrawlerSums & { readonly start: Day })[]> {
  const days = await crawlers.byDay(websiteId, period.from, period.to);
  const { starts, keyOf } = intervalsOf(zone, period, interval);
  const points = groupBy(days, ({ day }) => keyOf(day));
  return starts.map((start) => ({ start: keyOf(start), ...sumUp(points.get(keyOf(start)) ?? []) }));
}

/** The default interval of a series of crawlers. */
export function defaultCrawlerInterval(interval: Interval): CrawlerInterval {
  return interval === 'hour' ? 'day' : interval;
}

/** The share of hits with a status from 400 to 499, from 0 to 1, 4 decimals; `null` without hits. */
export function shareOf4xx({ hits, hits4xx }: CrawlerSums): number | null {
  return ratio(hits4xx, hits, 4);
}

function sumUp(rows: readonly CrawlerSums[]): CrawlerSums {
  return {
    hits: rows.reduce((sum, row) => sum + row.hits, 0),
    hits4xx: rows.reduce((sum, row) => sum + row.hits4xx, 0),
  };
}
