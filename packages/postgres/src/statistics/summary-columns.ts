import { DIMENSION_TABLE, DIMENSIONS, type Dimension, mapDimensions } from '@hitherto/domain/hits';
import type { Totals } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../connection/statement.ts';

/** How a day's numbers are grouped: by a dimension, by hour, or not at all. */
export type Kind = Dimension | 'total' | 'hour';

/** The codes of kinds in stored numbers. A code never changes its meaning. */
export const CODES: Readonly<Record<Kind, number>> = {
  total: 0,
  hour: 18,
  ...mapDimensions(DIMENSIONS, (dimension) => DIMENSION_TABLE[dimension].code),
};

export const KINDS: readonly Kind[] = ['total', 'hour', ...DIMENSIONS];

/** The kind as summaries store it. */
export function codeOf(kind: Kind): RawBuilder<unknown> {
  return sql`${CODES[kind]}::smallint`;
}

/** The condition on rows of summaries that they are of one of these kinds. */
export function isOfKinds(kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql`dimension = any(${kinds.map((kind) => CODES[kind])}::smallint[])`;
}

/** The numbers of a value. */
export const NUMBER_COLUMNS = [
  'visitors',
  'visits',
  'pageviews',
  'events',
  'bounces',
  'visits_with_pageviews',
  'duration',
] as const;

/** The same of hits; sums that are imported have no others than {@link NUMBER_COLUMNS}. */
export const HIT_NUMBER_COLUMNS = [
  ...NUMBER_COLUMNS,
  'measured',
  'seconds',
  'scroll',
  'measured_visits',
  'engaged_visits',
] as const;

export type NumberColumn = (typeof HIT_NUMBER_COLUMNS)[number];

export const NUMBERS = columnsOf(NUMBER_COLUMNS);

/** Numbers as the driver reads them: sums are `double precision`, which holds every count exactly. */
export type NumbersRow = Record<(typeof NUMBER_COLUMNS)[number], number>;

/** The sums over grouped rows, as columns of a {@link NumbersRow}. */
export const SUMS_TO_READ: RawBuilder<unknown> = sql.join(
  NUMBER_COLUMNS.map((column) => sql`coalesce(sum(${sql.ref(column)}), 0)::double precision as ${sql.ref(column)}`),
);

/** The sums over grouped rows that may be of imports, as columns of a {@link RowWithGaps}. */
export const SUMS_WITH_GAPS: RawBuilder<unknown> = sql`${SUMS_TO_READ}, bit_or(gaps)::integer as gaps`;

/** Numbers with the bits of `GAPS`. */
export type RowWithGaps = NumbersRow & { readonly gaps: number | null };

/** The bits, if there are any, as a field of totals. */
export function toGaps(gaps: number | null | undefined): Pick<Totals, 'gaps'> {
  return gaps ? { gaps } : {};
}

export function toTotals(row: NumbersRow): Totals {
  const { visitors, visits, pageviews, events, bounces, visits_with_pageviews, duration } = row;
  return { visitors, visits, pageviews, events, bounces, visitsWithPageviews: visits_with_pageviews, duration };
}
