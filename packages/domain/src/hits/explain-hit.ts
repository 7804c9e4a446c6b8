import { type CountingSettings, countHit, type Drop } from './count-hit.ts';
import type { Hit, HitDetails, HitLookups } from './hit.ts';
import { parseWebUrl, type RemovedParameter } from './page-url.ts';

/** The treatment of a hit, as told to the website's owner (api.md, "Hits"). */
export interface Explanation {
  /** Why the hit would be dropped; `undefined` where it would count. */
  readonly drop: Drop | undefined;
  /** A sentence, whatever happens. */
  readonly detail: string;
  /** The details that would be stored; `undefined` if the hit would be dropped. */
  readonly details: HitDetails | undefined;
  readonly removedParameters: readonly RemovedParameter[];
}

/** The hosts of pages that the tracker does not count unless it is told to (api.md, "Hits"). */
const LOCAL_HOST = /(?:^|\.)localhost$|^127\.[\d.]+$|^\[::1\]$/;
const TRACKER_ON_LOCAL_HOSTS = ' The tracker sends hits from a local page only if its script has data-local.';

/**
 * Explains whether a hit would be counted, as {@link countHit} decides, and whether the tracker would send it. A missing user
 * agent is judged like a browser's.
 */
export function explainHit(settings: CountingSettings, hit: Hit, lookups: HitLookups): Explanation {
  const judgement = countHit(settings, { ...hit, sender: 'browser' }, lookups);
  const { drop } = judgement;
  const more = LOCAL_HOST.test(parseWebUrl(hit.url)?.hostname ?? '') ? TRACKER_ON_LOCAL_HOSTS : '';
  if (drop !== undefined) {
    return { drop, detail: `${drop.detail}${more}`, details: undefined, removedParameters: [] };
  }
  const { details, removedParameters } = judgement;
  const kind = details.name === null ? 'a pageview' : 'an event';
  return {
    drop: undefined,
    detail: `The hit counts as ${kind} of ${details.page}.${more}`,
    details,
    removedParameters,
  };
}
