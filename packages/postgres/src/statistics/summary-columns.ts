import type { TimeZone } from '@hitherto/domain/calendar';
import { DIMENSION_TABLE, DIMENSIONS, type Dimension, mapDimensions } from '@hitherto/domain/hits';
import type { Totals } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../connection/statement.ts';

/** How a day's numbers are grouped: by a dimension, by hour, or not at all. */
export type Kind = Dimension | 'total' | 'hour';

/** The kinds that have their values from the hits of a visit: several, one or none. Of other kinds a visit has one value. */
export type KindOfHits = 'page' | 'event' | 'hour';

/** The codes of kinds in stored numbers. A code never changes its meaning. */
export const CODES: Readonly<Record<Kind, number>> = {
  total: 0,
  hour: 18,
  ...mapDimensions(DIMENSIONS, (dimension) => DIMENSION_TABLE[dimension].code),
};

export const KINDS: readonly Kind[] = ['total', 'hour', ...DIMENSIONS];

/**
 * The `running_zone` of the running summaries of `website`: the zone of their hours. Summaries of another zone are ended.
 *
 * @param installation the zone of websites without their own
 */
export function runningZone(installation: TimeZone): RawBuilder<string> {
  return sql<string>`coalesce(website.time_zone, ${installation.name})`;
}

/** The kind as summaries store it. */
export function codeOf(kind: Kind): RawBuilder<unknown> {
  return sql`${CODES[kind]}::smallint`;
}

/** The condition on rows of summaries that they are of one of these kinds. */
export function isOfKinds(kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql`dimension = any(${kinds.map((kind) => CODES[kind])}::smallint[])`;
}

/** Whether visits have the values of this kind from their hits. */
export function isOfHits(kind: Kind): kind is KindOfHits {
  return kind === 'page' || kind === 'event' || kind === 'hour';
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

export type NumberColumn = (typeof NUMBER_COLUMNS)[number];

export const NUMBERS = columnsOf(NUMBER_COLUMNS);

/** The columns of `running_summary` except the website's number. */
export const SUMMARY_COLUMN_NAMES = ['day', 'dimension', 'value', ...NUMBER_COLUMNS] as const;

export const SUMMARY_COLUMNS = columnsOf(SUMMARY_COLUMN_NAMES);

/** The sums over grouped rows, as columns of `running_summary`. */
export const SUMS_TO_STORE: RawBuilder<unknown> = sql.join(
  NUMBER_COLUMNS.map((column) => sql`sum(${sql.ref(column)})::bigint as ${sql.ref(column)}`),
);

/** The condition on grouped rows that not all of their sums are 0. */
export const IS_NOT_ZERO: RawBuilder<unknown> = sql`not (${sql.join(
  NUMBER_COLUMNS.map((column) => sql`sum(${sql.ref(column)}) = 0`),
  sql` and `,
)})`;

/** Numbers as the driver reads them: sums are `double precision`, which holds every count exactly. */
export type NumbersRow = Record<NumberColumn, number>;

/** The sums over grouped rows, as columns of a {@link NumbersRow}. */
export const SUMS_TO_READ: RawBuilder<unknown> = sql.join(
  NUMBER_COLUMNS.map((column) => sql`coalesce(sum(${sql.ref(column)}), 0)::double precision as ${sql.ref(column)}`),
);

/** The sums over grouped rows that may be of imports, as columns of a {@link RowWithGaps}. */
export const SUMS_WITH_GAPS: RawBuilder<unknown> = sql`${SUMS_TO_READ}, bit_or(gaps)::integer as gaps`;

/** The gaps of rows of hits, which are counted exactly. Rows of imports have a number, if only 0. */
export const NO_GAPS: RawBuilder<unknown> = sql`null::smallint as gaps`;

/**
 * The condition on grouped rows that a list shows them. Rows of hits can add up to nothing, because some are subtracted from
 * others. Rows of imports show as in the file, also those without visitors.
 */
export const IS_LISTED: RawBuilder<unknown> = sql`(sum(visitors) > 0 or bit_or(gaps) is not null)`;

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
