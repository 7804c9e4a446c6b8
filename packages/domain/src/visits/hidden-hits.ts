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
    for (const { measure, ...hit } of visit.hits) {
      hidden.add(hitKey(hit));
      if (measure !== undefined) hidden.add(hitKey({ ...hit, measure }));
    }
  }
  return hits.filter((hit) => hidden.has(hitKey(hit)));
}

/** A visitor's hits of one time are in one visit, and all measures of a view belong to one pageview. */
export function hitKey({ visitor, time, view, measure }: HitKey): string {
  return measure === undefined ? `${visitor} at ${time.getTime()}` : `${visitor} measured ${view}`;
}

export type HitKey = Pick<CountedHit, 'visitor' | 'time' | 'view' | 'measure'>;
