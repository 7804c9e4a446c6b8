import { type Dimension, FILTER_LIMITS, type Period, type PeriodName } from '@hitherto/domain';
import type { Metric } from '@hitherto/domain/format';

export const DEFAULT_PERIOD: PeriodName = '28d';

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
