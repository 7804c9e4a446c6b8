import type { CountedHit } from '../hits/hit.ts';
import { compileFilters } from './filters.ts';
import { type HidingRule, hidingSet } from './hiding.ts';
import { storableFilters } from './storable-filters.ts';
import { visitsOf } from './visits.ts';

/**
 * The hits of the visits that any of the rules hides.
 *
 * @param hits all of their visitors
 */
export function hiddenHits(hits: readonly CountedHit[], rules: readonly HidingRule[]): readonly CountedHit[] {
  const isHidden = compileFilters([storableFilters(hidingSet(rules, false))], new Map());
  return visitsOf(hits).flatMap((visit) => (isHidden(visit) ? visit.hits : []));
}
