import type { Dimension, Filter, Period, PeriodName } from '@hitherto/domain';
import type { Metric } from '@hitherto/domain/format';

export const DEFAULT_PERIOD: PeriodName = '28d';

/** What an address of the page chooses. */
export interface Selection extends Period {
  /** `undefined` where the address gives `from` and `to`. */
  readonly period: PeriodName | undefined;
  readonly filters: readonly Filter[];
  /** The subject of the chart. */
  readonly metric: Metric;
  /** The lists that stand in front, of those that share a card. */
  readonly lists: readonly Dimension[];
  /** The property in front, of the properties of the event that is filtered by. */
  readonly property: string | undefined;
}

/** The parameters of a selection; what is the default is left out. */
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

/** The selection with one more filter, in place of any of the same dimension. */
export function withFilter(selection: Selection, filter: Filter): Selection {
  return { ...without(selection, filter.dimension), filters: [...others(selection, filter.dimension), filter] };
}

/** The selection without its filter of a dimension; the properties of an event go with it. */
export function withoutFilter(selection: Selection, dimension: Dimension): Selection {
  return { ...without(selection, dimension), filters: others(selection, dimension) };
}

function without(selection: Selection, dimension: Dimension): Selection {
  return dimension === 'event' ? { ...selection, property: undefined } : selection;
}

function others({ filters }: Selection, dimension: Dimension): Filter[] {
  return filters.filter((filter) => filter.dimension !== dimension);
}
