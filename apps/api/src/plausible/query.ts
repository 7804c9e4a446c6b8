import { daysBetween, type Interval, MAX_DAYS_OF_HOURS, type Period } from '@hitherto/domain/calendar';
import { type Calendar, type ComparedPeriods, comparisonOf, type DateRange, readDateRange } from './date-range.ts';
import { type Named, type TranslatedFilters, translateFilters } from './filters.ts';
import { InvalidQuery, listOf, stringOf, stringsOf } from './invalid-query.ts';
import { PLAUSIBLE_DIMENSIONS } from './words.ts';

const METRICS = [
  'visitors',
  'visits',
  'pageviews',
  'views_per_visit',
  'bounce_rate',
  'visit_duration',
  'events',
  'percentage',
  'conversion_rate',
  'group_conversion_rate',
  'time_on_page',
  'scroll_depth',
] as const;
export type PlausibleMetric = (typeof METRICS)[number];

/** The dimensions that a query groups by; the interval of `time` is resolved. */
export type PlausibleGrouping =
  | { readonly by: 'time'; readonly interval: Interval }
  | { readonly by: 'goal' }
  | { readonly by: 'property'; readonly property: string }
  | { readonly by: 'value'; readonly name: string };

export interface PlausibleQuery {
  readonly siteId: string;
  readonly metrics: readonly PlausibleMetric[];
  readonly period: Period;
  /** The part of the period that is asked for, by the hour. */
  readonly hours: DateRange['hours'];
  /** The periods to compare. */
  readonly comparison: ComparedPeriods | undefined;
  /** As they were sent. */
  readonly dimensions: readonly string[];
  readonly groupings: readonly PlausibleGrouping[];
  readonly filters: TranslatedFilters;
  readonly sentFilters: readonly unknown[];
  readonly orderBy: readonly (readonly [of: string, direction: 'asc' | 'desc'])[];
  readonly include: Readonly<Record<string, unknown>>;
  readonly limit: number;
  readonly offset: number;
  /** The interval of the time dimension, if there is one. */
  readonly interval: Interval | undefined;
}

export const MAX_ROWS = 10_000;
const FIELDS = ['site_id', 'metrics', 'date_range', 'dimensions', 'filters', 'order_by', 'include', 'pagination'];
const INCLUDES = ['comparisons', 'imports', 'time_labels', 'total_rows', 'trim_relative_date_range'];
/** Metrics of whole visits. */
const OF_VISITS: readonly PlausibleMetric[] = ['visits', 'views_per_visit', 'bounce_rate', 'visit_duration'];
const INTERVALS: ReadonlyMap<string, Interval> = new Map([
  ['time:hour', 'hour'],
  ['time:day', 'day'],
  ['time:week', 'week'],
  ['time:month', 'month'],
]);

/** Reads the body of a query; rejects queries without an exact result. */
export function readQuery(body: Readonly<Record<string, unknown>>, named: Named, calendar: Calendar): PlausibleQuery {
  const unknown = Object.keys(body).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw new InvalidQuery(`An unknown field was sent. The fields are ${FIELDS.join(', ')}.`);
  const metrics = stringsOf(body.metrics, 'metrics').map(metricOf);
  if (metrics.length === 0) throw new InvalidQuery('"metrics" must name at least one metric.');
  const range = readDateRange(body.date_range, calendar);
  const { period, hours } = range;
  const dimensions = stringsOf(body.dimensions ?? [], 'dimensions');
  const groupings = dimensions.map((dimension) => groupingOf(dimension, body.date_range, range));
  const filters = translateFilters(body.filters, named, dimensions);
  const include = includeOf(body.include);
  const comparison = comparisonOf(include.comparisons, range, calendar.today);
  const interval = groupings.find((grouping) => grouping.by === 'time')?.interval;
  rejectCombinations(metrics, groupings, filters, period);
  rejectPartsOfDays(groupings, range, comparison);
  if (include.time_labels === true && interval === undefined) {
    throw new InvalidQuery('"include.time_labels" needs a time dimension.');
  }
  return {
    siteId: stringOf(body.site_id, '"site_id"'),
    metrics,
    period,
    hours,
    comparison,
    dimensions,
    groupings,
    filters,
    sentFilters: listOf(body.filters ?? [], 'filters'),
    orderBy: orderOf(body.order_by, metrics, dimensions, groupings),
    include,
    ...pageOf(body.pagination),
    interval,
  };
}

function metricOf(name: string): PlausibleMetric {
  const known = METRICS.find((metric) => metric === name);
  if (known !== undefined) return known;
  throw new InvalidQuery(`The metric "${name.slice(0, 40)}" is not supported. The metrics are ${METRICS.join(', ')}.`);
}

function groupingOf(dimension: string, sent: unknown, range: DateRange): PlausibleGrouping {
  const interval = dimension === 'time' ? intervalOf(sent, range) : INTERVALS.get(dimension);
  if (interval !== undefined) return { by: 'time', interval };
  if (dimension === 'event:goal') return { by: 'goal' };
  const [, property] = /^event:props:(.+)$/su.exec(dimension) ?? [];
  if (property !== undefined) return { by: 'property', property };
  if (PLAUSIBLE_DIMENSIONS.has(dimension)) return { by: 'value', name: dimension };
  const known = [...PLAUSIBLE_DIMENSIONS.keys()].join(', ');
  throw new InvalidQuery(
    `The dimension "${dimension.slice(0, 40)}" is not supported. The dimensions are time, time:hour, time:day, time:week, time:month, event:goal, event:props:NAME, ${known}.`,
  );
}

const MAX_HOURS_MS = 49 * 60 * 60 * 1000;

/**
 * The interval of `time`, as Plausible chooses it: by the hour if at most 48 whole hours lie between the first and the last
 * second, by the day for 40 whole days, by the week for 52 whole weeks. Its months and years go on after today.
 */
function intervalOf(sent: unknown, { period, hours }: DateRange): Interval {
  if (sent === 'month') return 'day';
  if (sent === 'year') return 'week';
  const days = daysBetween(period.from, period.to);
  const isByHour = hours === undefined ? days <= 2 : hours.until.getTime() - hours.from.getTime() <= MAX_HOURS_MS;
  if (isByHour) return 'hour';
  if (days <= 41) return 'day';
  return days <= 53 * 7 ? 'week' : 'month';
}

function rejectCombinations(
  metrics: readonly PlausibleMetric[],
  groupings: readonly PlausibleGrouping[],
  { goals }: TranslatedFilters,
  period: Period,
): void {
  const has = (...wanted: readonly PlausibleMetric[]) => metrics.find((metric) => wanted.includes(metric));
  const isGrouped = (...wanted: readonly PlausibleGrouping['by'][]) => groupings.some(({ by }) => wanted.includes(by));
  const isByPage = groupings.some((grouping) => grouping.by === 'value' && grouping.name === 'event:page');
  const isByEvent = isByPage || isGrouped('goal', 'property');
  if (groupings.length > 2) throw new InvalidQuery('At most two dimensions are supported.');
  if (groupings.length === 2) {
    const [first, second] = groupings;
    if (isGrouped('goal') || ((isByPage || isGrouped('property')) && first?.by !== 'time')) {
      throw new InvalidQuery(
        '"event:" dimensions cannot be combined with others, but "event:page" and "event:props" with a time dimension.',
      );
    }
    if (second?.by === 'time') throw new InvalidQuery('A time dimension must come first.');
    if (first?.by === 'time' && first.interval !== 'day') {
      throw new InvalidQuery('Only "time:day" can be combined with another dimension.');
    }
    const metric = has('conversion_rate', 'group_conversion_rate', 'percentage');
    if (metric !== undefined) throw new InvalidQuery(`"${metric}" is not supported with two dimensions.`);
  }
  const ofPages = has('time_on_page', 'scroll_depth');
  if (ofPages !== undefined && !isByPage) throw new InvalidQuery(`"${ofPages}" needs the dimension "event:page".`);
  const ofVisits = has(...OF_VISITS);
  if (isByEvent && ofVisits !== undefined) {
    throw new InvalidQuery(
      `"${ofVisits}" cannot be combined with "event:" dimensions: it is a number of whole visits.`,
    );
  }
  if (isGrouped('goal', 'property') && has('pageviews') !== undefined) {
    throw new InvalidQuery('"pageviews" cannot be combined with "event:goal" and "event:props" dimensions.');
  }
  if (isGrouped('goal', 'property') && has('percentage', 'group_conversion_rate') !== undefined) {
    throw new InvalidQuery(
      '"percentage" and "group_conversion_rate" cannot be combined with "event:goal" and "event:props".',
    );
  }
  if (has('percentage') !== undefined && groupings.length === 0)
    throw new InvalidQuery('"percentage" needs a dimension.');
  const rate = has('conversion_rate', 'group_conversion_rate');
  if (rate !== undefined && goals.length === 0 && !isGrouped('goal')) {
    throw new InvalidQuery(`"${rate}" needs a filter or a dimension "event:goal".`);
  }
  if (rate !== undefined && isGrouped('property'))
    throw new InvalidQuery(`"${rate}" is not supported with properties.`);
  const isByHour = groupings.some((grouping) => grouping.by === 'time' && grouping.interval === 'hour');
  if (isByHour && daysBetween(period.from, period.to) > MAX_DAYS_OF_HOURS) {
    throw new InvalidQuery(`"time:hour" needs a "date_range" of at most ${MAX_DAYS_OF_HOURS} days.`);
  }
  if (isByHour && rate !== undefined) throw new InvalidQuery(`"${rate}" is not supported by the hour.`);
}

/** The numbers of a part of a day are known by the hour alone. */
function rejectPartsOfDays(
  groupings: readonly PlausibleGrouping[],
  { hours }: DateRange,
  comparison: ComparedPeriods | undefined,
): void {
  const [first, second] = groupings;
  const isByHour = first?.by === 'time' && first.interval === 'hour' && second === undefined;
  if (hours !== undefined && !isByHour) {
    throw new InvalidQuery('A "date_range" with a part of a day is only supported with the one dimension "time:hour".');
  }
  if (comparison !== undefined && first?.by === 'time' && second !== undefined) {
    throw new InvalidQuery('"include.comparisons" is not supported with a time dimension and another one.');
  }
}

function includeOf(sent: unknown): Readonly<Record<string, unknown>> {
  const include: Record<string, unknown> = { ...Object(sent ?? {}) };
  const unknown = Object.keys(include).find((name) => !INCLUDES.includes(name));
  if (unknown !== undefined) {
    throw new InvalidQuery(`"include.${unknown.slice(0, 40)}" is not supported. It has ${INCLUDES.join(', ')}.`);
  }
  return include;
}

function orderOf(
  sent: unknown,
  metrics: readonly PlausibleMetric[],
  dimensions: readonly string[],
  groupings: readonly PlausibleGrouping[],
): PlausibleQuery['orderBy'] {
  if (sent === undefined || sent === null) {
    const time = groupings.findIndex(({ by }) => by === 'time');
    return [
      ...(time === -1 ? [] : [[dimensions[time] ?? '', 'asc'] as const]),
      [metrics[0] ?? 'visitors', 'desc'] as const,
    ];
  }
  return listOf(sent, 'order_by').map((item) => {
    const [of, direction] = listOf(item, 'order_by');
    const isKnown = metrics.some((metric) => metric === of) || dimensions.some((dimension) => dimension === of);
    if (typeof of !== 'string' || !isKnown || (direction !== 'asc' && direction !== 'desc')) {
      throw new InvalidQuery(
        '"order_by" must be a list of pairs: a metric or dimension of the query, and "asc" or "desc".',
      );
    }
    return [of, direction] as const;
  });
}

function pageOf(sent: unknown): { readonly limit: number; readonly offset: number } {
  const { limit = MAX_ROWS, offset = 0 }: Record<string, unknown> = Object(sent ?? {});
  const isCount = (value: unknown, most: number): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
  if (!isCount(limit, MAX_ROWS) || limit === 0 || !isCount(offset, MAX_ROWS)) {
    throw new InvalidQuery(`"pagination" must have a "limit" from 1 to ${MAX_ROWS} and an "offset" up to ${MAX_ROWS}.`);
  }
  return { limit, offset };
}
