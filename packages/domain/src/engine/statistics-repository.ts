import type { Day } from '../calendar/days.ts';
import type { Dimension } from '../hits/dimensions.ts';
import type { GoalRules, VisitSet } from '../visits/filters.ts';
import type { Hidden, HidingRule } from '../visits/hiding.ts';
import type { SeriesPoint, Totals } from '../visits/totals.ts';
import type { GlanceReads } from './glances.ts';
import type { GoalReads } from './goal-reads.ts';
import type { Live } from './live.ts';
import type { MostChanged } from './most-changed.ts';
import type { ChangedNumber, ValueChanges } from './value-changes.ts';

/** Days of a website; both are included. */
export interface WebsitePeriod {
  readonly websiteId: string;
  readonly from: Day;
  readonly to: Day;
}

/** The website and the days of a query. Filters restrict it to the visits that every set matches. */
export interface StatisticsQuery extends WebsitePeriod {
  readonly filters: readonly VisitSet[];
  /** The goals that filters name; no visit reaches a missing one. */
  readonly goals?: GoalRules;
  /**
   * Counts only the hits before this moment on the day `to`: its visits are as they were then. Sums of that day are left out,
   * because nobody knows their hours.
   */
  readonly until?: Date;
  /**
   * Leaves out the days whose hits are not stored, because an import has only their sums, or because they are deleted, as
   * filters do: so numbers can be set against numbers of visits.
   */
  readonly onlyHits?: boolean;
  /** Counts the visits that cleanups of the website hide, too, or only these. Without it, no read counts them. */
  readonly hidden?: Hidden | undefined;
  /** Counts pages as they are stored, whatever rules of the website show them. */
  readonly storedPages?: boolean;
}

/** Whether a query chooses among the visits that count: sums cannot, and lists have all their values. */
export function isChoice({
  filters,
  hidden,
  storedPages = false,
}: Pick<StatisticsQuery, 'filters' | 'hidden' | 'storedPages'>): boolean {
  return filters.length > 0 || hidden === 'only' || storedPages;
}

/** The numbers of one value of a dimension. Of `page` and `event` only the counts mean something. */
export interface ValueTotals extends Totals {
  /** `null` stands for none. */
  readonly value: string | null;
}

/** The orders of lists: by the visitors of values, or by the mean of their engaged seconds. */
export const VALUE_ORDERS = ['visitors', 'engaged_seconds'] as const;
export type ValueOrder = (typeof VALUE_ORDERS)[number];

/** Where a page of a list begins: at a row by its number and its value, in the order of the list. */
export interface ValuePosition {
  readonly side: 'after' | 'up_to';
  /** The row's `numberOf`. */
  readonly number: number;
  readonly value: string | null;
}

/** A page of a list, by a number, the greatest first, then by value in byte order; none comes last among equals. */
export interface ValuePage {
  readonly rows: readonly ValueTotals[];
  readonly previous: ValuePosition | undefined;
  readonly next: ValuePosition | undefined;
  /** How many values the whole list has. */
  readonly total: number;
}

/** A value of a dimension, with the numbers that short lists show. */
export interface TopValue {
  /** `null` stands for none. */
  readonly value: string | null;
  readonly visitors: number;
  /** Only of the dimension `event`. */
  readonly events: number | undefined;
  /** As in {@link Totals}. */
  readonly gaps?: number;
  /** Its visitors on the days that were compared. */
  readonly before?: number;
}

/** The first values of a dimension, in the order of its list. */
export interface TopValues {
  readonly rows: readonly TopValue[];
  /** How many values the whole list has. */
  readonly total: number;
  /** Of a dimension of `OverviewComparison.changed`. */
  readonly changed?: MostChanged;
}

/** The lists of an overview that are compared. */
export interface ComparedLists {
  readonly dimensions: readonly Dimension[];
  /** The dimensions whose most changed values are found. */
  readonly changed: readonly Dimension[];
}

/** The comparison of an overview. */
export interface OverviewComparison extends ComparedLists {
  readonly query: StatisticsQuery;
}

/** The numbers of a period by day, and the first values of dimensions. */
export interface Overview {
  readonly days: readonly SeriesPoint[];
  /** Has every requested dimension, except dimensions that are still being counted in these days after an update. */
  readonly values: ReadonlyMap<Dimension, TopValues>;
}

/** The starts of hours, in milliseconds, and the visitors of each: a year has thousands, which are sent between threads. */
export interface VisitorsByHour {
  readonly starts: Float64Array;
  readonly visitors: Float64Array;
}

/** The visitors of points of hours. */
export function visitorsByHour(points: readonly SeriesPoint[]): VisitorsByHour {
  return {
    starts: Float64Array.from(points, ({ start }) => Number(start)),
    visitors: Float64Array.from(points, ({ visitors }) => visitors),
  };
}

/**
 * Reads statistics. A hit is in every result as soon as it is added, whether its day has been summarised or not. Sums of
 * imported days are in the results that they can answer: without filters, by day and by dimension. A website that does not
 * exist has no numbers.
 */
export interface StatisticsReads extends GoalReads<StatisticsQuery>, GlanceReads {
  /** The sums over the days of the query. */
  totals(query: StatisticsQuery): Promise<Totals>;

  /** One point for each day, or hour, that has a hit, in order of time. */
  series(query: StatisticsQuery, interval: 'hour' | 'day'): Promise<SeriesPoint[]>;

  /** The visitors of each hour in `series`. */
  visitorsByHour(query: StatisticsQuery): Promise<VisitorsByHour>;

  /**
   * The first `limit` values of a dimension, or as many after or up to a position.
   *
   * @param order by visitors, if there is none
   */
  values(
    query: StatisticsQuery,
    dimension: Dimension,
    limit: number,
    position?: ValuePosition,
    order?: ValueOrder,
  ): Promise<ValuePage>;

  /**
   * The days as in `series`, and the first values of several dimensions in the order of `values`, in one read.
   *
   * @param compared also reads the visitors of values there, and the values that changed most
   */
  overview(
    query: StatisticsQuery,
    dimensions: readonly Dimension[],
    limit: number,
    compared?: OverviewComparison,
  ): Promise<Overview>;

  /**
   * How a number of the values of dimensions changed in the days of the query, in one read.
   *
   * @param query counts only days whose hits are stored
   * @param compared the same with other days
   * @param limit how many values are in `largest`
   */
  changes(
    query: StatisticsQuery,
    compared: StatisticsQuery,
    number: ChangedNumber,
    dimensions: readonly Dimension[],
    limit: number,
  ): Promise<ReadonlyMap<Dimension, ValueChanges>>;

  /** The values, as text, of a property of the events with this name, or of any; events without it are left out. */
  propertyValues(
    query: StatisticsQuery,
    event: string | undefined,
    property: string,
    limit: number,
    position?: ValuePosition,
  ): Promise<ValuePage>;

  /** The names of the properties that events with this name have had, in byte order, at most 100. */
  propertyNames(query: StatisticsQuery, event: string): Promise<string[]>;

  /** Distinct visitors with a hit from `since` until `until`, both included. */
  visitorsBetween(websiteId: string, since: Date, until: Date): Promise<number>;

  /**
   * The visitors with a hit from `since` until `until`, both included and at most half an hour apart (`countLive`), with the first
   * `limit` values of lists.
   */
  live(websiteId: string, since: Date, until: Date, limit: number): Promise<Live>;

  /** Whether a day has numbers that no stored hits have: sums of an import, or the summary of deleted hits. */
  hasSums(websiteId: string, day: Day): Promise<boolean>;

  /** The rules that hide visits of the website. */
  hidingRules(websiteId: string): Promise<readonly HidingRule[]>;

  /** The first day with a hit, or `undefined` if there is none. */
  firstDay(websiteId: string): Promise<Day | undefined>;
}

/** Reads statistics, each by itself or several of one moment. */
export interface StatisticsRepository extends StatisticsReads {
  /**
   * Does work whose reads all see the same moment. It takes less time than separate reads, as far as these are of the given
   * days. It may be done again from its start.
   */
  reading<Result>(of: WebsitePeriod, work: (reads: StatisticsReads) => Promise<Result>): Promise<Result>;
}
