import { type Fault, inWords, type Saying } from '../base/errors.ts';
import { inEnglish, storedText, tellStored } from '../base/stored-text.ts';
import { type CountingSettings, countHit, type Verdict } from './count-hit.ts';
import type { Hit, HitLookups } from './hit.ts';

/** The verdict on a hit, and a sentence for the website's owner whatever it is (api.md, "Hits"). */
export type Explanation = Verdict & Required<Pick<Fault, 'detail' | 'saying'>>;

/** The hosts of pages that the tracker does not count unless it is told to (api.md, "Hits"). */
const LOCAL_HOST = /(?:^|\.)localhost$|^127\.[\d.]+$|^\[::1\]$/;

/**
 * Explains whether a hit would be counted, as {@link countHit} decides, and whether the tracker would send it. A missing user
 * agent is judged like a browser's.
 */
export function explainHit(settings: CountingSettings, hit: Hit, lookups: HitLookups): Explanation {
  const verdict = countHit(settings, { ...hit, sender: 'browser' }, lookups);
  const { drop, details } = verdict;
  const text =
    drop?.text ?? storedText('counts', storedText(details?.name == null ? 'pageview' : 'event'), details?.page ?? '');
  const isLocal = LOCAL_HOST.test(hit.url.hostname);
  const saying: Saying = (words) =>
    `${tellStored(text, words, inEnglish(text))}${isLocal ? ` ${words.verdicts.onLocalHost}` : ''}`;
  return { ...verdict, ...inWords(saying) };
}
