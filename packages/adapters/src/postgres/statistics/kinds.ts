import { DIMENSION_TABLE, DIMENSIONS, type Dimension, mapDimensions } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';

/** How a day's numbers are grouped: by a dimension, by hour, or not at all. */
export type Kind = Dimension | 'total' | 'hour';

/** The kinds that have their values from the hits of a visit: several, one or none. Of other kinds a visit has one value. */
export type KindOfHits = 'page' | 'event' | 'hour';

/** The codes of kinds in the column `dimension` of summaries. A code never changes its meaning. */
export const CODES: Readonly<Record<Kind, number>> = {
  total: 0,
  hour: 18,
  ...mapDimensions(DIMENSIONS, (dimension) => DIMENSION_TABLE[dimension].code),
};

export const KINDS: readonly Kind[] = ['total', 'hour', ...DIMENSIONS];

/**
 * The `newest_kind` of visits and summaries: the highest code that the version which made them knew. New dimensions get higher
 * codes, so they have the kinds up to it, and lack others.
 */
export const NEWEST_KIND = newestOf(KINDS);

/** The `newest_kind` of visits and summaries that were made before they said so. */
export const FIRST_NEWEST_KIND = 18;

export function newestOf(kinds: readonly Kind[]): number {
  return Math.max(CODES.total, ...kinds.map((kind) => CODES[kind]));
}

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
