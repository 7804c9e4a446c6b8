import type { Dimension, Overview } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { valuePage } from '../../value-page.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { CODES } from './kinds.ts';
import { type NumbersRow, SUMS, toTotals } from './numbers.ts';
import { toValue } from './value-list.ts';

interface OverviewRow extends NumbersRow {
  readonly dimension: number;
  /** Of the kind `total` the day. */
  readonly value: string | null;
  readonly total: number;
}

/**
 * Reads the days of a period and the first pages of lists in one statement: most of its cost is planning, and visits
 * computed on the fly.
 *
 * @param tables what a `with` clause begins with
 * @param rows a select of days, kinds, values and numbers: of the kind `total`, and of the dimensions
 */
export async function readOverview(
  transaction: Transaction,
  tables: RawBuilder<unknown>,
  rows: RawBuilder<unknown>,
  dimensions: readonly Dimension[],
  limit: number,
): Promise<Overview> {
  const isDay = sql`dimension = ${CODES.total}::smallint`;
  const query = sql<OverviewRow>`
    with ${tables},
    grouped as (
      select dimension, case when ${isDay} then day::text collate "C" else value end as value, ${SUMS}
      from (${rows}) row group by 1, 2
    ),
    listed as (
      select *, (count(*) over (partition by dimension))::double precision as total,
        row_number() over (partition by dimension order by visitors desc, value collate "C") as rank
      from grouped
    )
    select * from listed where ${isDay} or rank <= ${limit} order by dimension, rank`;
  const { rows: found } = await transaction.query(once(query));
  const rowsOf = (code: number) => found.filter(({ dimension }) => dimension === code);
  const days = rowsOf(CODES.total).map((row) => ({ ...toTotals(row), start: row.value ?? '' }));
  const values = dimensions.map((dimension) => {
    const ofDimension = rowsOf(CODES[dimension]);
    const total = ofDimension[0]?.total ?? 0;
    return [dimension, valuePage(ofDimension.map(toValue), undefined, limit < total, total, undefined)] as const;
  });
  return { days: days.sort((a, b) => (a.start < b.start ? -1 : 1)), values: new Map(values) };
}
