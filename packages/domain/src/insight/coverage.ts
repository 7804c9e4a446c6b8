import { compareBytes } from '../base/byte-order.ts';
import { DomainError } from '../base/errors.ts';
import { addDays, type Day } from '../calendar/days.ts';
import type { StatisticsQuery, StatisticsRepository } from '../engine/statistics-repository.ts';
import type { ImportRepository } from '../imports/import-repository.ts';
import type { LogRepository } from '../imports/logs/logs.ts';
import { allOf, valueFilter } from '../visits/filters.ts';
import { addVisitor, ENOUGH_VISITORS, type LogPage, type LogPages } from './log-pages.ts';

/** A page, and its pageviews in the logs and of the tracker. */
export interface CoveredPage {
  readonly page: string;
  readonly log: number;
  readonly tracked: number;
}

export interface MissingPage extends CoveredPage {
  /** In the logs. */
  readonly firstSeen: Day;
  /** The last day with a tracked pageview before. */
  readonly lastTracked: Day | null;
}

/** The share of a server's pageviews that the tracker has counted (imports.md, "Coverage"). */
export interface Coverage {
  readonly days: readonly { readonly day: Day; readonly log: number; readonly tracked: number }[];
  /** Of the log's pageviews of pages that are not missing; `null` without any. */
  readonly share: number | null;
  readonly missing: readonly MissingPage[];
  readonly partly: readonly CoveredPage[];
  readonly onlyTracked: readonly Pick<CoveredPage, 'page' | 'tracked'>[];
  readonly byBrowser: readonly {
    readonly browser: string | null;
    readonly log: number;
    readonly tracked: number;
    readonly share: number;
  }[];
  readonly lines: number;
  readonly judged: number;
  readonly bots: number;
  readonly from: Day;
  readonly to: Day;
}

export interface CoverageDependencies {
  readonly statistics: Pick<StatisticsRepository, 'reading'>;
  readonly imports: Pick<ImportRepository, 'importedDays'>;
  readonly logs: Pick<LogRepository, 'followedDays'>;
}

/** What makes a page missing, and what makes it partly covered: less than half of what others have. */
const MIN_PAGEVIEWS = 10;
const PARTLY_SHARE = 0.5;
const MAX_LISTED = 100;
const MAX_BROWSERS = 12;
const PAST_DAYS = 400;
const ALL = 1_000_000_000;

/**
 * Sets the pageviews of logs next to those of the tracker on the same days. Only numbers are compared: nobody is looked for in
 * both.
 *
 * @throws DomainError `precondition_failed` where a day has hits of logs, which would be compared with themselves
 */
export async function compareCoverage(
  deps: CoverageDependencies,
  websiteId: string,
  read: LogPages,
): Promise<Coverage> {
  const days = [...read.days.keys()].sort();
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) {
    throw new DomainError('precondition_failed', 'The logs have no pageview of this website on these days.');
  }
  await rejectImported(deps, websiteId, days);
  const inLog = sumOfDays([...read.days.values()]);
  return deps.statistics.reading({ websiteId, from, to }, async (statistics) => {
    const query: StatisticsQuery = { websiteId, from, to, filters: [], onlyHits: true, storedPages: true };
    const pagesOf = async (of: StatisticsQuery) => {
      const { rows } = await statistics.values(of, 'page', ALL);
      return new Map(rows.map(({ value, pageviews }) => [value ?? '', pageviews]));
    };
    const tracked = await pagesOf(query);
    const points = await statistics.series(query, 'day');
    const trackedOn = new Map(points.map((point) => [String(point.start), point.pageviews]));

    const all = [...inLog].map(([page, numbers]) => ({ page, ...numbers, tracked: tracked.get(page) ?? 0 }));
    const isMissing = ({ log, tracked: seen, visitors }: (typeof all)[number]) =>
      seen === 0 && log >= MIN_PAGEVIEWS && visitors.length >= ENOUGH_VISITORS;
    const missing = all.filter(isMissing).sort(byLog).slice(0, MAX_LISTED);
    const others = all.filter((page) => !isMissing(page));
    const [log, seen] = [sum(others, (page) => page.log), sum(others, (page) => page.tracked)];
    const share = log === 0 ? null : ratio(seen, log);
    const partly = others.filter(
      (page) => page.log >= MIN_PAGEVIEWS && page.tracked < PARTLY_SHARE * (share ?? 0) * page.log,
    );
    const onlyTracked = [...tracked].filter(([page, pageviews]) => pageviews >= MIN_PAGEVIEWS && !inLog.has(page));

    const lastTracked = async (page: string): Promise<Day | null> => {
      const filters = allOf([valueFilter('page', page)]);
      const past = { ...query, from: addDays(from, -PAST_DAYS), filters };
      return String((await statistics.series(past, 'day')).at(-1)?.start ?? '') || null;
    };
    const listed: MissingPage[] = [];
    for (const { page, log: number, firstSeen } of missing) {
      listed.push({ page, log: number, tracked: 0, firstSeen, lastTracked: await lastTracked(page) });
    }

    const byBrowser: Coverage['byBrowser'][number][] = [];
    for (const [browser, number] of browsersOf(others)) {
      const filters = allOf([valueFilter('browser', browser)]);
      const ofBrowser = await pagesOf({ ...query, filters });
      const views = sum(others, ({ page }) => ofBrowser.get(page) ?? 0);
      byBrowser.push({ browser, log: number, tracked: views, share: ratio(views, number) });
    }

    return {
      days: days.map((day) => ({
        day,
        log: sum([...(read.days.get(day)?.values() ?? [])], (page) => page.log),
        tracked: trackedOn.get(day) ?? 0,
      })),
      share,
      missing: listed,
      partly: partly.sort(byLog).slice(0, MAX_LISTED).map(toPage),
      onlyTracked: onlyTracked
        .map(([page, pageviews]) => ({ page, tracked: pageviews }))
        .sort((a, b) => b.tracked - a.tracked || compareBytes(a.page, b.page))
        .slice(0, MAX_LISTED),
      byBrowser,
      ...{ lines: read.lines, judged: read.judged, bots: read.bots, from, to },
    };
  });
}

async function rejectImported(
  { imports, logs }: Pick<CoverageDependencies, 'imports' | 'logs'>,
  websiteId: string,
  days: readonly Day[],
): Promise<void> {
  const imported = (await imports.importedDays(websiteId)).map(({ day }) => day);
  const taken = new Set([...imported, ...(await logs.followedDays(websiteId))]);
  const day = days.find((each) => taken.has(each));
  if (day === undefined) return;
  throw new DomainError(
    'precondition_failed',
    `${day} has imported hits, which are not the tracker's: compare later days only.`,
  );
}

/** The pages of all days together. */
function sumOfDays(days: readonly ReadonlyMap<string, LogPage>[]): Map<string, LogPage> {
  const all = new Map<string, LogPage>();
  for (const [page, numbers] of days.flatMap((day) => [...day])) {
    const known = all.get(page);
    if (known === undefined) {
      all.set(page, { ...numbers, visitors: [...numbers.visitors], browsers: new Map(numbers.browsers) });
      continue;
    }
    known.log += numbers.log;
    if (numbers.firstSeen < known.firstSeen) known.firstSeen = numbers.firstSeen;
    for (const visitor of numbers.visitors) addVisitor(known, visitor);
    for (const [browser, count] of numbers.browsers)
      known.browsers.set(browser, (known.browsers.get(browser) ?? 0) + count);
  }
  return all;
}

/** The pageviews of the most frequent browsers in the logs. */
function browsersOf(pages: readonly Pick<LogPage, 'browsers'>[]): [string | null, number][] {
  const counts = new Map<string | null, number>();
  for (const [browser, count] of pages.flatMap(({ browsers }) => [...browsers])) {
    counts.set(browser, (counts.get(browser) ?? 0) + count);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || compareBytes(a[0] ?? '', b[0] ?? '')).slice(0, MAX_BROWSERS);
}

function toPage({ page, log, tracked }: CoveredPage): CoveredPage {
  return { page, log, tracked };
}

function byLog(one: CoveredPage, other: CoveredPage): number {
  return other.log - one.log || compareBytes(one.page, other.page);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function ratio(part: number, whole: number): number {
  return Math.round((10_000 * part) / whole) / 10_000;
}
