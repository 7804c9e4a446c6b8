import type { Hit, HitDetails, HitLookups } from '../hit.ts';
import { type CountingSettings, countHit, type Drop } from './count-hit.ts';
import type { RemovedParameter } from './page-url.ts';

/** The treatment of a hit, as told to the website's owner (statistics.md, section 3). */
export interface Explanation {
  /** Why the hit would be dropped; `undefined` where it would count. */
  readonly drop: Drop | undefined;
  /** A sentence, whatever happens. */
  readonly detail: string;
  /** The details that would be stored; `undefined` if the hit would be dropped. */
  readonly details: HitDetails | undefined;
  readonly removedParameters: readonly RemovedParameter[];
}

/** Explains whether a hit would be counted, as {@link countHit} decides. A missing user agent is judged like a browser's. */
export function explainHit(settings: CountingSettings, hit: Hit, lookups: HitLookups): Explanation {
  const judgement = countHit(settings, { ...hit, sender: 'browser' }, lookups);
  if (judgement.drop !== undefined) {
    return { drop: judgement.drop, detail: judgement.drop.detail, details: undefined, removedParameters: [] };
  }
  const { details, removedParameters } = judgement;
  const kind = details.name === null ? 'a pageview' : 'an event';
  return { drop: undefined, detail: `The hit counts as ${kind} of ${details.page}.`, details, removedParameters };
}
