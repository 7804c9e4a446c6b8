import { type CountingSettings, countHit, type Verdict } from './count-hit.ts';
import type { Hit, HitLookups } from './hit.ts';

/** The verdict on a hit, and a sentence for the website's owner whatever it is (api.md, "Hits"). */
export type Explanation = Verdict & { readonly detail: string };

/** The hosts of pages that the tracker does not count unless it is told to (api.md, "Hits"). */
const LOCAL_HOST = /(?:^|\.)localhost$|^127\.[\d.]+$|^\[::1\]$/;
const TRACKER_ON_LOCAL_HOSTS = ' The tracker sends hits from a local page only if its script has data-local.';

/**
 * Explains whether a hit would be counted, as {@link countHit} decides, and whether the tracker would send it. A missing user
 * agent is judged like a browser's.
 */
export function explainHit(settings: CountingSettings, hit: Hit, lookups: HitLookups): Explanation {
  const verdict = countHit(settings, { ...hit, sender: 'browser' }, lookups);
  const { drop, details } = verdict;
  const more = LOCAL_HOST.test(hit.url.hostname) ? TRACKER_ON_LOCAL_HOSTS : '';
  if (drop !== undefined) return { ...verdict, detail: `${drop.detail}${more}` };
  const kind = details.name === null ? 'a pageview' : 'an event';
  return { ...verdict, detail: `The hit counts as ${kind} of ${details.page}.${more}` };
}
