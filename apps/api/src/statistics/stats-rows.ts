import { formatWithOffset, type Interval, type TimeZone } from '@hitherto/domain/calendar';
import type { StatisticsQuery, StatisticsRepository } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import type { AskedOfDays } from '@hitherto/domain/imports';
import { showSeries } from '@hitherto/domain/reading';
import { continents, countries } from 'countries-list';

// The lists of GET /api/v1/stats/{id} (api.md).

/** A row; `null` stands for none. */
export interface StatsRow {
  readonly value: string | number | null;
  readonly count: number;
}

interface ReadDependencies {
  readonly statistics: Pick<StatisticsRepository, 'series' | 'values'>;
  readonly zone: TimeZone;
}

type Count = 'pageviews' | 'visitors' | 'events';

/** A list by its name. */
interface StatsList {
  /** Which days can answer it. */
  readonly asks: AskedOfDays;
  read(deps: ReadDependencies, query: StatisticsQuery, interval: Interval): Promise<StatsRow[]>;
}

export const STATS = {
  pageviews: byTime('pageviews'),
  visitors: byTime('visitors'),
  pageviews_hours: byHour('pageviews'),
  visitors_hours: byHour('visitors'),
  page: byValue('page', 'pageviews'),
  landing_page: byValue('entry_page'),
  referrer: byValue('referrer'),
  country: byValue('country'),
  continent: byContinent(),
  language: byValue('language'),
  browser: byValue('browser'),
  os: byValue('os'),
  device: byValue('device'),
  campaign: byValue('utm_campaign'),
  event: byValue('event', 'events'),
} as const satisfies Readonly<Record<string, StatsList>>;

/** Lists of the specified product for which nothing is collected. */
export const NOT_COLLECTED = ['city', 'resolution'] as const;

type CollectedName = keyof typeof STATS;
export type StatsName = CollectedName | (typeof NOT_COLLECTED)[number];

export function isCollected(name: StatsName): name is CollectedName {
  return name in STATS;
}

/** More than a list has: days store a few thousand values, and a period has at most some thousand days. */
const ALL = 1_000_000_000;

function byTime(count: Count): StatsList {
  return {
    asks: 'total',
    async read(deps, query, interval) {
      const points = await showSeries(deps, query, interval);
      return points.map((point) => ({ value: String(point.start), count: point[count] }));
    },
  };
}

function byHour(count: Count): StatsList {
  return {
    asks: 'hour',
    async read({ statistics, zone }, query) {
      const counts = Array.from({ length: 24 }, () => 0);
      for (const point of await statistics.series(query, 'hour')) {
        if (typeof point.start !== 'string') add(counts, hourOf(zone, point.start), point[count]);
      }
      return counts.map((sum, value) => ({ value, count: sum }));
    },
  };
}

function hourOf(zone: TimeZone, start: Date): number {
  return Number(formatWithOffset(zone, start).slice(11, 13));
}

function add(counts: number[], hour: number, count: number): void {
  counts[hour] = (counts[hour] ?? 0) + count;
}

function byValue(dimension: Dimension, count: Count = 'visitors'): StatsList {
  return {
    asks: dimension,
    async read({ statistics }, query) {
      const { rows } = await statistics.values(query, dimension, ALL);
      return rows.map((row) => ({ value: row.value, count: row[count] }));
    },
  };
}

function byContinent(): StatsList {
  const byCountry = byValue('country');
  return {
    asks: 'country',
    async read(deps, query, interval) {
      const sums = new Map<string | null, number>();
      for (const { value, count } of await byCountry.read(deps, query, interval)) {
        const continent = continentOf(value);
        sums.set(continent, (sums.get(continent) ?? 0) + count);
      }
      return [...sums].map(([value, count]) => ({ value, count }));
    },
  };
}

const CONTINENTS: ReadonlyMap<unknown, string> = new Map(
  Object.entries(countries).map(([code, { continent }]) => [code, continents[continent]]),
);

function continentOf(country: StatsRow['value']): string | null {
  return CONTINENTS.get(country) ?? null;
}
