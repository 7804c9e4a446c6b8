/** The dimensions of visits and hits (statistics.md, section 5), with the names that the API and the pages use. */
export const DIMENSIONS = [
  'page',
  'entry_page',
  'exit_page',
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
  'event',
] as const;

export type Dimension = (typeof DIMENSIONS)[number];

/** Selects visits by the value of a dimension; `null` stands for none. */
export interface Filter {
  readonly dimension: Dimension;
  readonly value: string | null;
}

/** How many values of a dimension a day keeps: those with the most visitors. The rest becomes {@link OTHER_VALUES}. */
export const MAX_VALUES_PER_DAY = 5_000;
export const OTHER_VALUES = '(other)';
