import type { CountedHit } from '../hits/hit.ts';
import { hiddenHits } from '../visits/hidden-hits.ts';
import type { HidingRule } from '../visits/hiding.ts';

/** A hit, and whether the visit that it is in is hidden. */
export interface MarkedHit extends CountedHit {
  readonly isHidden?: true;
}

/**
 * Marks the hits of hidden visits.
 *
 * @param hits of a website, sorted by day
 */
export async function* markHidden(
  hits: AsyncIterable<CountedHit>,
  rules: readonly HidingRule[],
): AsyncGenerator<MarkedHit> {
  if (rules.length === 0) return yield* hits;
  for await (const ofDay of byDay(hits)) {
    const hidden = new Set(hiddenHits(ofDay, rules));
    for (const hit of ofDay) yield hidden.has(hit) ? { ...hit, isHidden: true } : hit;
  }
}

async function* byDay(hits: AsyncIterable<CountedHit>): AsyncGenerator<readonly CountedHit[]> {
  let ofDay: CountedHit[] = [];
  for await (const hit of hits) {
    if (ofDay[0] !== undefined && ofDay[0].day !== hit.day) {
      yield ofDay;
      ofDay = [];
    }
    ofDay.push(hit);
  }
  if (ofDay.length > 0) yield ofDay;
}
