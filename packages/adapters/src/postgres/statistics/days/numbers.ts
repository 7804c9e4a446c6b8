import type { Totals } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../connection/statement.ts';

/** The numbers of a row of `summary` and of `day_value`. */
export const NUMBER_COLUMNS = [
  'visitors',
  'visits',
  'pageviews',
  'events',
  'bounces',
  'visits_with_pageviews',
  'duration',
] as const;

export const NUMBERS = columnsOf(NUMBER_COLUMNS);

/** The columns of `summary` except the website's number. */
export const SUMMARY_COLUMNS = sql`day, dimension, value, ${NUMBERS}`;

/** The sums over grouped rows, as columns of `summary`. */
export const SUMS_TO_STORE: RawBuilder<unknown> = sql.join(
  NUMBER_COLUMNS.map((column) => sql`sum(${sql.ref(column)})::bigint as ${sql.ref(column)}`),
);

/** The condition on grouped rows that not all of their sums are 0. */
export const IS_NOT_ZERO: RawBuilder<unknown> = sql`not (${sql.join(
  NUMBER_COLUMNS.map((column) => sql`sum(${sql.ref(column)}) = 0`),
  sql` and `,
)})`;

/** Numbers as the driver reads them: sums are `double precision`, which holds every count exactly. */
export type NumbersRow = Record<(typeof NUMBER_COLUMNS)[number], number>;

/** The sums over grouped rows, as columns of a {@link NumbersRow}. */
export const SUMS_TO_READ: RawBuilder<unknown> = sql.join(
  NUMBER_COLUMNS.map((column) => sql`coalesce(sum(${sql.ref(column)}), 0)::double precision as ${sql.ref(column)}`),
);

export function toTotals(row: NumbersRow): Totals {
  const { visitors, visits, pageviews, events, bounces, visits_with_pageviews, duration } = row;
  return { visitors, visits, pageviews, events, bounces, visitsWithPageviews: visits_with_pageviews, duration };
}
