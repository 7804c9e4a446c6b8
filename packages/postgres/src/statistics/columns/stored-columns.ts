import { FIRST_HIT_DIMENSIONS, type FirstHitDimension } from '@hitherto/domain/hits';
import { GROUPS } from './groups.ts';
import type { ColumnName } from './visit-columns.ts';

/** The codes of columns in the table `book`. A code never changes its meaning. */
export const CODES = {
  /** All columns of a small part together. */
  all: 0,
  /** The 64 bits of each visitor: of all the high ones, then of all the low ones. */
  visitors: 1,
  /** Of each visit: 1 if the visit before is of the same visitor; how many pageviews and events it has. */
  repeats: 2,
  pageviews: 3,
  events: 4,
  /** When each visit starts, in milliseconds after the first one, and the time from each hit to the next one of its visit. */
  starts: 5,
  gaps: 6,
  /** The code of each hit, the distinct pages, and the distinct names and properties of events. */
  hits: 7,
  page_values: 8,
  event_values: 9,
  /** The places of the pages of all events. */
  event_pages: 10,
  /** Of each hit the code of its measure, or 0 (`measureCode` in the domain), and the number of its view, or 0. */
  measures: 11,
  views: 12,
  /**
   * The measures that have no pageview, and all increments, because a late pageview can take some from another: lists of the two halves
   * of the visitor, the time, the view or an increment's page, and the code.
   */
  stored_measures: 13,
} as const;

/** The column of a group of dimensions: of each visit the values of its first hit. */
export const codeOfGroup = (group: number): number => 20 + group;

/** Of each later hit of a visit: 0 if its values of the group are those of the hit before, else their code, counted from 1. */
export const codeOfLater = (group: number): number => 30 + group;

/** The place of the group of each dimension. */
export const GROUP_OF = new Map<FirstHitDimension, number>(
  FIRST_HIT_DIMENSIONS.map((dimension) => [dimension, GROUPS.findIndex((names) => names.includes(dimension))]),
);

/** The codes of the columns from which these are read. */
export function codesOf(names: readonly ColumnName[]): readonly number[] {
  return [...new Set([CODES.pageviews, ...names.flatMap(codesOfColumn)])];
}

function codesOfColumn(name: ColumnName): readonly number[] {
  const { pageviews, events, starts, gaps } = CODES;
  switch (name) {
    case 'duration':
      return [pageviews, events, gaps];
    case 'minutes':
      return [pageviews, events, starts, gaps];
    case 'repeats':
    case 'pageviews':
    case 'events':
    case 'hits':
    case 'page_values':
    case 'event_values':
    case 'measures':
      return [CODES[name]];
    default:
      return [codeOfGroup(GROUP_OF.get(name) ?? 0)];
  }
}
