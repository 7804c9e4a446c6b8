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

/** What visits and hits are counted by (statistics.md, section 5). These names are the API's and the pages' too. */
export const DIMENSIONS = ['page', 'entry_page', 'exit_page', ...FIRST_HIT_DIMENSIONS, 'event'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

/** Chooses the visits of which a dimension has a value; `null` stands for none. */
export interface Filter {
  readonly dimension: Dimension;
  readonly value: string | null;
}

/** A day keeps so many values of a dimension, those with the most visitors; the rest is {@link OTHER_VALUES}. */
export const MAX_VALUES_PER_DAY = 5_000;
export const OTHER_VALUES = '(other)';
