import { type Dimension, firstHitValue } from '../dimensions.ts';
import type { Visit } from './visits.ts';

/** The most filters of a query (statistics.md, section 5). */
export const MAX_FILTERS = 5;

/** Chooses the visits of which a dimension has a value; `null` stands for none. */
export interface Filter {
  readonly dimension: Dimension;
  readonly value: string | null;
}

/**
 * The different values that a visit has of a dimension, `null` for none. They are one but of `page`, the pages of its
 * pageviews, and of `event`, the names of its events; a visit without any has none of these.
 */
export function valuesOf(visit: Visit, dimension: Dimension): (string | null)[] {
  switch (dimension) {
    case 'page':
      return [...new Set(visit.hits.filter((hit) => hit.name === null).map((hit) => hit.page))];
    case 'event':
      return [...new Set(visit.hits.map((hit) => hit.name).filter((name) => name !== null))];
    case 'entry_page':
      return [visit.entryPage];
    case 'exit_page':
      return [visit.exitPage];
    default:
      return [firstHitValue(visit.first, dimension)];
  }
}

/** Tells whether all of the filters choose the visit (statistics.md, section 5). */
export function isChosen(visit: Visit, filters: readonly Filter[]): boolean {
  return filters.every(({ dimension, value }) => {
    const values = valuesOf(visit, dimension);
    return values.length === 0 ? value === null : values.includes(value);
  });
}
