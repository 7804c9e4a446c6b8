import {
  type Day,
  DIMENSIONS,
  type Dimension,
  FILTER_LIMITS,
  namedPeriod,
  PERIOD_NAMES,
  type Period,
  type PeriodName,
  readPeriod,
} from '@hitherto/domain';
import { METRICS, type Metric } from '@hitherto/domain/format';

const DEFAULT_PERIOD: PeriodName = '28d';
/** In code points: longer than any stored string of a hit. */
const MAX_VALUE_LENGTH = 4_096;
const MAX_PROPERTY_LENGTH = 40;

/** Chooses the visits with a value of a dimension; `null` stands for none. */
export interface ValueFilter {
  readonly dimension: Dimension;
  readonly value: string | null;
}

/** The selection in the address of a page. */
export interface Selection extends Period {
  /** `undefined` if the address has `from` and `to`. */
  readonly period: PeriodName | undefined;
  readonly filters: readonly ValueFilter[];
  /** The subject of the chart. */
  readonly metric: Metric;
  /** The lists that are shown, of those that share a card. */
  readonly lists: readonly Dimension[];
  /** The property that is shown, of those of the filtered event. */
  readonly property: string | undefined;
}

/** The parameters of a selection, without defaults. */
export function parametersOf(selection: Selection): URLSearchParams {
  const { period, from, to, filters, metric, lists, property } = selection;
  const parameters = new URLSearchParams();
  if (period === undefined) {
    parameters.set('from', from);
    parameters.set('to', to);
  } else if (period !== DEFAULT_PERIOD) parameters.set('period', period);
  for (const { dimension, value } of filters) parameters.set(dimension, value ?? '');
  if (metric !== 'visitors') parameters.set('metric', metric);
  for (const list of lists) parameters.append('list', list);
  if (property !== undefined) parameters.set('property', property);
  return parameters;
}

/** The path with the parameters of a selection, relative to the origin. */
export function hrefOf(path: string, selection: Selection): string {
  const parameters = parametersOf(selection).toString();
  return parameters === '' ? path : `${path}?${parameters}`;
}

/** The selection with one more filter, in place of any of the same dimension; `undefined` if that is one too many. */
export function withFilter(selection: Selection, filter: ValueFilter): Selection | undefined {
  const filters = [...others(selection, filter.dimension), filter];
  return filters.length > FILTER_LIMITS.filters ? undefined : { ...without(selection, filter.dimension), filters };
}

/** The selection without the filter of a dimension; without an event there is no property either. */
export function withoutFilter(selection: Selection, dimension: Dimension): Selection {
  return { ...without(selection, dimension), filters: others(selection, dimension) };
}

function without(selection: Selection, dimension: Dimension): Selection {
  return dimension === 'event' ? { ...selection, property: undefined } : selection;
}

function others({ filters }: Selection, dimension: Dimension): ValueFilter[] {
  return filters.filter((filter) => filter.dimension !== dimension);
}

/**
 * Reads the query of a page: unknown parameters are ignored, and faulty ones take their default (statistics.md,
 * section 6). The first of repeated parameters counts.
 */
export function readSelection(query: URLSearchParams, today: Day): Selection {
  return {
    ...readDays(query, today),
    filters: readFilters(query),
    metric: oneOf(METRICS, query.get('metric')) ?? 'visitors',
    lists: DIMENSIONS.filter((dimension) => query.getAll('list').includes(dimension)),
    property: readText(query.get('property'), MAX_PROPERTY_LENGTH),
  };
}

function readDays(query: URLSearchParams, today: Day): Period & { readonly period: PeriodName | undefined } {
  const [from, to] = [query.get('from'), query.get('to')];
  if (from !== null && to !== null) {
    const read = readPeriod(from, to, today);
    if ('period' in read) return { ...read.period, period: undefined };
  }
  const period = oneOf(PERIOD_NAMES, query.get('period')) ?? DEFAULT_PERIOD;
  return { ...namedPeriod(period, today), period };
}

function readFilters(query: URLSearchParams): ValueFilter[] {
  const filters: ValueFilter[] = [];
  for (const dimension of query.keys()) {
    if (!isDimension(dimension) || filters.some((filter) => filter.dimension === dimension)) continue;
    const value = readText(query.get(dimension), MAX_VALUE_LENGTH);
    if (value !== undefined) filters.push({ dimension, value: value === '' ? null : value });
  }
  return filters.slice(0, FILTER_LIMITS.filters);
}

/** A text that can be searched for: PostgreSQL stores no NUL. */
function readText(text: string | null, maxLength: number): string | undefined {
  return text === null || [...text].length > maxLength || text.includes('\0') ? undefined : text;
}

export function isDimension(text: string): text is Dimension {
  return oneOf(DIMENSIONS, text) !== undefined;
}

function oneOf<const T extends string>(values: readonly T[], text: string | null): T | undefined {
  return values.find((value) => value === text);
}
