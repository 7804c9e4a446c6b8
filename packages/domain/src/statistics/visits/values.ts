import { type Dimension, firstHitValue } from '../dimensions.ts';
import type { Visit } from './visits.ts';

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
