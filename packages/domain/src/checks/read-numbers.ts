import { groupBy } from '../base/group-by.ts';
import { addDays, type Day, daysOf, type Period } from '../calendar/days.ts';
import { dayOf, startOfDay, type TimeZone } from '../calendar/time-zone.ts';
import type {
  StatisticsQuery,
  StatisticsReads,
  StatisticsRepository,
  ValueTotals,
} from '../engine/statistics-repository.ts';
import { OTHER_VALUES } from '../hits/dimensions.ts';
import { NETWORKS } from '../hits/hit.ts';
import type { NotedHitsRepository } from '../hits/noted-hits.ts';
import type { ImportRepository } from '../imports/import-repository.ts';
import { allOf, valueFilter } from '../visits/filters.ts';
import type { SeriesPoint } from '../visits/totals.ts';
import { wholeAccount } from '../websites/reach.ts';
import type { Website } from '../websites/website.ts';
import type { WebsiteDirectory } from '../websites/website-directory.ts';
import {
  type BouncingHost,
  CHECKED_DAYS,
  type CheckNumbers,
  type DirectVisits,
  MAX_FOUND,
  MIN_VISITS,
  type ReferringHost,
} from './check.ts';
import { MIN_REFERRED } from './new-spammer.ts';
import { SILENT_DAYS, USUAL_DAYS, USUAL_PAGEVIEWS } from './page-silent.ts';
import { MIN_REFERRED_SHARE } from './self-referral.ts';
import { MIN_SPAM_VISITS } from './spam-like.ts';

export interface ReadNumbersDependencies {
  readonly statistics: Pick<StatisticsRepository, 'reading'>;
  readonly notedHits: Pick<NotedHitsRepository, 'list'>;
  readonly imports: Pick<ImportRepository, 'list'>;
  readonly directory: Pick<WebsiteDirectory, 'findByHost'>;
  /** The website's. */
  readonly zone: TimeZone;
}

/** The first values of a list are enough: rarer ones than these have a visitor each. */
const MAX_VALUES = 10_000;
/** How many countries, pages and hosts are looked at closely. */
const MAX_CANDIDATES = 2 * MAX_FOUND;
/** How many days before the checked ones tell how many visits of a country are usual. */
const EARLIER_DAYS = 2 * CHECKED_DAYS;
/** How far the past goes in which a referrer may have been known. */
const PAST_DAYS = 365;

/** Reads the numbers of a website's days until `last`; `undefined` where it has too few visits. */
export async function readCheckNumbers(
  deps: ReadNumbersDependencies,
  accountId: string,
  website: Website,
  last: Day,
): Promise<CheckNumbers | undefined> {
  const period = { from: addDays(last, 1 - CHECKED_DAYS), to: last };
  const websiteId = website.id;
  const read = await deps.statistics.reading({ websiteId, ...period }, (statistics) =>
    readStatistics({ ...deps, statistics }, website, period),
  );
  if (read === undefined) return undefined;
  const [noted, imports, otherHosts] = await Promise.all([
    deps.notedHits.list(websiteId, period.from, period.to),
    deps.imports.list({ accountId, websiteId }),
    findOwnHosts(deps, accountId, websiteId, read.referringHosts),
  ]);
  return { website, otherHosts, days: daysOf(period.from, period.to), ...read, noted, imports: imports ?? [] };
}

interface Reading {
  readonly statistics: StatisticsReads;
  readonly zone: TimeZone;
}

async function readStatistics({ statistics, zone }: Reading, website: Website, period: Period) {
  const query: StatisticsQuery = { websiteId: website.id, ...period, filters: [], onlyHits: true };
  const points = await statistics.series(query, 'day');
  if (points.reduce((sum, { visits }) => sum + visits, 0) < MIN_VISITS) return undefined;
  const valuesOf = async (of: StatisticsQuery, dimension: 'page' | 'referrer' | 'utm_source' | 'country' | 'network') =>
    (await statistics.values(of, dimension, MAX_VALUES)).rows.filter(({ value }) => value !== OTHER_VALUES);
  const hours = await statistics.series(query, 'hour');
  const shownPages = await valuesOf(query, 'page');
  // A secret that a page rule hides is stored nevertheless.
  const pages = website.pageRules.length === 0 ? shownPages : await valuesOf({ ...query, storedPages: true }, 'page');
  const referrers = await valuesOf(query, 'referrer');
  const labels = await valuesOf(query, 'utm_source');
  const direct = { ...query, filters: allOf([valueFilter('channel', 'Direct')]) };
  const countries = await valuesOf(direct, 'country');
  const networks = await valuesOf(direct, 'network');
  const lately = await valuesOf({ ...query, from: addDays(period.to, 1 - SILENT_DAYS) }, 'page');

  const quiet = quietPages(shownPages, lately);
  const quietByDay = new Map(quiet.map((page) => [page, new Map<Day, number>()]));
  for (const day of quiet.length === 0 ? [] : daysOf(period.from, period.to)) {
    for (const { value, pageviews } of await valuesOf({ ...query, from: day, to: day }, 'page')) {
      quietByDay.get(value ?? '')?.set(day, pageviews);
    }
  }

  const manyOf = (rows: readonly ValueTotals[]) =>
    rows.flatMap(({ value, bounces }) => (value !== null && bounces >= MIN_SPAM_VISITS ? [value] : []));
  const longer = { ...query, from: addDays(period.from, -EARLIER_DAYS) };
  const seriesOf = async (dimension: 'country' | 'network', value: string) => {
    const filters = allOf([valueFilter('channel', 'Direct'), valueFilter(dimension, value)]);
    return byStart(await statistics.series({ ...longer, filters }, 'day'));
  };
  const directVisits: DirectVisits[] = [];
  for (const country of manyOf(countries).slice(0, MAX_CANDIDATES)) {
    directVisits.push({ country, network: null, byDay: await seriesOf('country', country) });
  }
  for (const network of NETWORKS.filter((name) => manyOf(networks).includes(name))) {
    directVisits.push({ country: null, network, byDay: await seriesOf('network', network) });
  }

  const referringHosts = hostsOf(referrers);
  return {
    byDay: byStart(points),
    longByDay: byStart(directVisits.length === 0 ? [] : await statistics.series(longer, 'day')),
    firstHours: new Map(
      hours.flatMap((hour) => {
        const day = hour.start instanceof Date ? dayOf(zone, hour.start) : hour.start;
        return startOfDay(zone, day).getTime() === new Date(hour.start).getTime() ? [[day, hour.visits] as const] : [];
      }),
    ),
    ...{ pages, labels, referringHosts, directVisits, quietPages: quietByDay },
    bouncingHosts: await readBouncing(statistics, query, referringHosts),
  };
}

function byStart(points: readonly SeriesPoint[]): ReadonlyMap<Day, SeriesPoint> {
  return new Map(points.map((point) => [String(point.start), point]));
}

interface PageViews {
  readonly value: string | null;
  readonly pageviews: number;
}

/** The pages that had many pageviews, and none lately. */
function quietPages(pages: readonly PageViews[], lately: readonly PageViews[]): string[] {
  const viewed = new Set(lately.map(({ value }) => value));
  return pages
    .filter(({ value, pageviews }) => pageviews >= USUAL_DAYS * USUAL_PAGEVIEWS && !viewed.has(value))
    .flatMap(({ value }) => value ?? [])
    .slice(0, MAX_CANDIDATES);
}

/** Referrers by their hosts, the most frequent first. */
function hostsOf(
  referrers: readonly { readonly value: string | null; readonly visits: number; readonly bounces: number }[],
): ReferringHost[] {
  const known = referrers.filter(({ value }) => value !== null);
  return [...groupBy(known, ({ value }) => (value ?? '').split('/', 1)[0] ?? '')]
    .map(([host, rows]) => ({
      host,
      visits: rows.reduce((sum, { visits }) => sum + visits, 0),
      bounces: rows.reduce((sum, { bounces }) => sum + bounces, 0),
    }))
    .sort((a, b) => b.visits - a.visits);
}

async function readBouncing(
  statistics: StatisticsReads,
  query: StatisticsQuery,
  hosts: readonly ReferringHost[],
): Promise<BouncingHost[]> {
  // A host can have a "*", which stands for every text in a pattern.
  const many = hosts.filter(
    ({ host, visits, bounces }) => visits >= MIN_REFERRED && visits === bounces && /^[\w.-]+$/.test(host),
  );
  const found: BouncingHost[] = [];
  for (const each of many.slice(0, MAX_CANDIDATES)) {
    const values = [each.host, `${each.host}/*`];
    const filter = { kind: 'dimension', dimension: 'referrer', comparator: 'like', isNegated: false, values } as const;
    const visited = { ...query, filters: allOf([filter]) };
    const { total: countries } = await statistics.values(visited, 'country', 1);
    const [first] = await statistics.series(visited, 'day');
    const past = { ...visited, from: addDays(query.from, -PAST_DAYS), to: addDays(query.from, -1) };
    const isKnown = (await statistics.totals(past)).visits > 0;
    found.push({ ...each, countries, since: String(first?.start ?? query.to), isKnown });
  }
  return found;
}

/** The frequent referrers that other websites of the account have as hosts. */
async function findOwnHosts(
  { directory }: Pick<ReadNumbersDependencies, 'directory'>,
  accountId: string,
  websiteId: string,
  hosts: readonly ReferringHost[],
): Promise<ReadonlySet<string>> {
  const referred = hosts.reduce((sum, { visits }) => sum + visits, 0);
  const frequent = hosts.filter(({ visits }) => visits >= MIN_REFERRED_SHARE * referred);
  const own = new Set<string>();
  for (const { host } of frequent) {
    for (const name of [host, `www.${host}`]) {
      const entries = await directory.findByHost(name, wholeAccount(accountId));
      if (entries.some(({ website }) => website.id !== websiteId)) own.add(host);
    }
  }
  return own;
}
