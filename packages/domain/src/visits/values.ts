import { DIMENSION_TABLE, type Dimension } from '../hits/dimensions.ts';
import type { Visit } from './visits.ts';

/**
 * The different values that a visit has of a dimension, `null` for none. They are one but of `page`, the pages of its
 * pageviews, and of `event`, the names of its events; a visit without any has none of these.
 */
export function valuesOf(visit: Visit, dimension: Dimension): (string | null)[] {
  const { from } = DIMENSION_TABLE[dimension];
  switch (from) {
    case 'pageviews':
      return [...new Set(visit.hits.filter((hit) => hit.name === null).map((hit) => hit.page))];
    case 'events':
      return [...new Set(visit.hits.map((hit) => hit.name).filter((name) => name !== null))];
    case 'first_pageview':
      return [visit.entryPage];
    case 'last_pageview':
      return [visit.exitPage];
    default:
      return [visit.first[from.firstHit]];
  }
}
