import type { CountedHit } from './hit.ts';

/** The dimensions that a visit has from its first hit. */
export const FIRST_HIT_DIMENSIONS = [
  'channel',
  'source',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_content',
  'utm_term',
  'country',
  'language',
  'browser',
  'os',
  'device',
] as const;
export type FirstHitDimension = (typeof FIRST_HIT_DIMENSIONS)[number];

/** What visits and hits are counted by (statistics.md, section 5). These names are the API's and the pages' too. */
export const DIMENSIONS = ['page', 'entry_page', 'exit_page', ...FIRST_HIT_DIMENSIONS, 'event'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

/** A day keeps so many values of a dimension, those with the most visitors; the rest is {@link OTHER_VALUES}. */
export const MAX_VALUES_PER_DAY = 5_000;
export const OTHER_VALUES = '(other)';

const MEMBERS = {
  channel: 'channel',
  source: 'source',
  referrer: 'referrer',
  utm_source: 'utmSource',
  utm_medium: 'utmMedium',
  utm_campaign: 'utmCampaign',
  utm_content: 'utmContent',
  utm_term: 'utmTerm',
  country: 'country',
  language: 'language',
  browser: 'browser',
  os: 'os',
  device: 'device',
} as const satisfies Record<FirstHitDimension, keyof CountedHit>;

/** What a visit that begins with this hit has of the dimension; `null` for none. */
export function firstHitValue(hit: CountedHit, dimension: FirstHitDimension): string | null {
  return hit[MEMBERS[dimension]];
}
