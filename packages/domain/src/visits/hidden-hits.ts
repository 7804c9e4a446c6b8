import type { CountedHit } from '../hits/hit.ts';
import { compileFilters } from './filters.ts';
import { type HidingRule, hidingSet } from './hiding.ts';
import { storableFilters } from './storable-filters.ts';
import { visitsOf } from './visits.ts';

/**
 * The hits of the visits that any of the rules hides, and the measures of their pageviews.
 *
 * @param hits all of their visitors on a day of a website
 */
export function hiddenHits<Hit extends CountedHit>(hits: readonly Hit[], rules: readonly HidingRule[]): readonly Hit[] {
  const isHidden = compileFilters([storableFilters(hidingSet(rules, false))], new Map());
  const hidden = new Set<string>();
  for (const visit of visitsOf(hits)) {
    if (!isHidden(visit)) continue;
    for (const { measure, increments, ...hit } of visit.hits) {
      const measures = increments ?? (measure === undefined ? [] : [{ ...hit, measure }]);
      for (const one of [hit, ...measures]) hidden.add(hitKey(one));
    }
  }
  return hits.filter((hit) => hidden.has(hitKey(hit)));
}

/**
 * A visitor's hits of one time are in one visit. All totals of a view belong to one pageview, and so do all increments of a page and
 * time.
 */
export function hitKey({ visitor, time, page, view, measure }: HitKey): string {
  if (measure !== undefined && view !== undefined) return `${visitor} measured ${view}`;
  return `${visitor} at ${time.getTime()}${measure === undefined ? '' : ` on ${page}`}`;
}

export type HitKey = Pick<CountedHit, 'visitor' | 'time' | 'page' | 'view' | 'measure'>;
