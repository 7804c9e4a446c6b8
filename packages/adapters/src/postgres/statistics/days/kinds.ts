import { DIMENSIONS, type Dimension } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';

/** How a day's numbers are grouped: by a dimension, by hour, or not at all. */
export type Kind = Dimension | 'total' | 'hour';

/** The kinds of which a visit may have several values, or none, which are those of its hits. Of others it has one. */
export type KindOfHits = 'page' | 'event' | 'hour';

/** The codes of kinds in the column `dimension` of summaries. A code never changes its meaning. */
export const CODES: Record<Kind, number> = {
  total: 0,
  page: 1,
  entry_page: 2,
  exit_page: 3,
  channel: 4,
  source: 5,
  referrer: 6,
  utm_source: 7,
  utm_medium: 8,
  utm_campaign: 9,
  utm_content: 10,
  utm_term: 11,
  country: 12,
  language: 13,
  browser: 14,
  os: 15,
  device: 16,
  event: 17,
  hour: 18,
};

export const KINDS: readonly Kind[] = ['total', 'hour', ...DIMENSIONS];

export function codeOf(kind: Kind): RawBuilder<unknown> {
  return sql`${CODES[kind]}::smallint`;
}

/** The condition on rows of summaries that they are of one of these kinds. */
export function isOfKinds(kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql`dimension = any(${kinds.map((kind) => CODES[kind])}::smallint[])`;
}

export function isOfHits(kind: Kind): kind is KindOfHits {
  return kind === 'page' || kind === 'event' || kind === 'hour';
}
