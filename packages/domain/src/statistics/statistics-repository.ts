import type { Dimension, Filter } from './dimension.ts';
import type { Day, DropReason } from './hit.ts';

/** A website, a period (both days inclusive) and filters: the numbers are of the visits that all filters select. */
export interface StatisticsQuery {
  readonly websiteId: string;
  readonly from: Day;
  readonly to: Day;
  readonly filters: readonly Filter[];
}

/** Sums over the days of a period, from which all rates follow. */
export interface Totals {
  readonly visitors: number;
  readonly visits: number;
  readonly pageviews: number;
  readonly events: number;
  /** Visits of exactly one pageview and no event. */
  readonly bounces: number;
  /** Visits that have a pageview. */
  readonly visitsWithPageviews: number;
  /** Total duration of all visits, in milliseconds. */
  readonly duration: number;
}

/**
 * The numbers of one day, or of one hour whose first instant is `start`. Visitors, pageviews and events are those with hits
 * in it; visits, bounces, visits with pageviews and durations are of the visits that begin in it.
 */
export interface SeriesPoint extends Totals {
  readonly start: Day | Date;
}

/** The numbers of one value of a dimension. For `page` and `event`, only the counts are meaningful. */
export interface ValueTotals extends Totals {
  /** `null` stands for none. */
  readonly value: string | null;
}

/** Where a page of a list begins: at a row by its visitors and its value, as a cut in the list's order. */
export interface ValueCut {
  readonly side: 'after' | 'up_to';
  readonly visitors: number;
  readonly value: string | null;
}

/** A page of a list, by visitors (most first), then by value in byte order; `null` is last among equals. */
export interface ValuePage {
  readonly rows: readonly ValueTotals[];
  readonly previous: ValueCut | undefined;
  readonly next: ValueCut | undefined;
  /** The number of values in the whole list. */
  readonly total: number;
}

/**
 * Reads statistics. A hit is in every number as soon as it is added, whether its day has been summarised or not. An unknown
 * or deleted website has no numbers.
 */
export interface StatisticsRepository {
  totals(query: StatisticsQuery): Promise<Totals>;

  /** One point for each day or hour that has a hit, in order of time. */
  series(query: StatisticsQuery, interval: 'hour' | 'day'): Promise<SeriesPoint[]>;

  values(query: StatisticsQuery, dimension: Dimension, limit: number, cut?: ValueCut): Promise<ValuePage>;

  /** The values, as text, of a property of the events with this name. Events without the property are left out. */
  propertyValues(
    query: StatisticsQuery,
    event: string,
    property: string,
    limit: number,
    cut?: ValueCut,
  ): Promise<ValuePage>;

  /** The names of all properties of the events with this name, in byte order, at most 100. */
  propertyNames(query: StatisticsQuery, event: string): Promise<string[]>;

  /** Distinct visitors with a hit at or after `since`. */
  currentVisitors(websiteId: string, since: Date): Promise<number>;

  /** The dropped hits of these days by reason, most hits first, then by reason. */
  dropped(websiteId: string, from: Day, to: Day): Promise<{ readonly reason: DropReason; readonly hits: number }[]>;

  /** The first day with a hit; `undefined` if there is none. */
  firstDay(websiteId: string): Promise<Day | undefined>;
}

/**
 * The background work on statistics. Each method does a bounded piece of it and returns whether more is left. Any number of
 * instances may call it at any time, and it can be killed at any point: it changes no number.
 */
export interface StatisticsMaintenance {
  /** Brings visits up to date with new hits. */
  updateVisits(): Promise<boolean>;

  /** Summarises days before `today` that have no summary or have changed since. */
  summarise(today: Day): Promise<boolean>;

  /** Deletes the statistics of deleted websites. */
  purge(): Promise<boolean>;

  /** Deletes raw hits and visits of days before `day`; their summaries stay. */
  deleteHitsBefore(day: Day): Promise<boolean>;

  /** Creates the partitions for the months from `today` on. */
  prepare(today: Day): Promise<void>;

  /** Rebuilds visits and summaries from raw hits; absent bounds mean all. Returns the number of days. */
  rebuild(what: { readonly websiteId?: string; readonly from?: Day; readonly to?: Day }): Promise<number>;
}
