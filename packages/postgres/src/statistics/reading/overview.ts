import type { Overview } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import {
  CODES,
  codeOf,
  IS_LISTED,
  NUMBER_COLUMNS,
  type RowWithGaps,
  SUMS_WITH_GAPS,
  toGaps,
  toTotals,
} from '../summary-columns.ts';

/** A day, with its date in `value`; or a value of a dimension, with only its visitors and events. */
export interface OverviewRow extends RowWithGaps {
  readonly dimension: number;
  readonly value: string | null;
  /** How many values the dimension has. */
  readonly total: number;
}

/** The columns of {@link OverviewRow} that values do not have, which come last. */
export const COLUMNS_OF_DAYS = NUMBER_COLUMNS.filter((column) => column !== 'visitors' && column !== 'events');

/**
 * Reads the days of a period and the first values of dimensions in one statement: most of its cost is planning, and
 * visits computed on the fly.
 *
 * @param rows a select of days, kinds and numbers; only the kind `total` is read
 * @param values a select of kinds, values, visitors, events and gaps; the kind `total` is not read
 */
export async function readOverview(
  transaction: Transaction,
  rows: RawBuilder<unknown>,
  values: RawBuilder<unknown>,
  dimensions: readonly Dimension[],
  limit: number,
): Promise<Overview> {
  const isTotal = sql`dimension = ${codeOf('total')}`;
  const query = sql<OverviewRow>`
    ${topValues(sql`select * from (${values}) row where not ${isTotal}`, limit)}
    union all
    select ${codeOf('total')}, day::text collate "C", null, null, visitors, events, gaps,
      ${columnsOf(COLUMNS_OF_DAYS)}
    from (select day, ${SUMS_WITH_GAPS} from (${rows}) row where ${isTotal} group by day) by_day
    order by dimension, rank, value`;
  const { rows: found } = await transaction.query(once(query));
  return toOverview(found, dimensions);
}

/**
 * A select of the first values of each dimension, as rows of {@link OverviewRow} and their rank.
 *
 * @param rows a select of dimensions, values, visitors, events and gaps, which are summed up by value
 */
export function topValues(rows: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  return sql`
    select dimension, value, total::double precision, rank, visitors::double precision, events::double precision,
      gaps, ${sql.join(COLUMNS_OF_DAYS.map((column) => sql`null::double precision as ${sql.ref(column)}`))}
    from (
      select *, count(*) over (partition by dimension) as total,
        row_number() over (partition by dimension order by visitors desc, value collate "C") as rank
      from (
        select dimension, value, sum(visitors) as visitors, sum(events) as events,
          bit_or(gaps)::integer as gaps
        from (${rows}) row group by dimension, value having ${IS_LISTED}
      ) summed
    ) listed
    where rank <= ${limit}`;
}

/** The overview in the rows of a statement, which are ordered by dimension, rank and value. */
export function toOverview(rows: readonly OverviewRow[], dimensions: readonly Dimension[]): Overview {
  const rowsOf = (code: number) => rows.filter(({ dimension }) => dimension === code);
  const values = dimensions.map((dimension) => {
    const ofDimension = rowsOf(CODES[dimension]);
    const top = ofDimension.map(({ value, visitors, events, gaps }) => ({
      value,
      visitors,
      events: dimension === 'event' ? events : undefined,
      ...toGaps(gaps),
    }));
    return [dimension, { rows: top, total: ofDimension[0]?.total ?? 0 }] as const;
  });
  return {
    days: rowsOf(CODES.total).map((row) => ({ ...toTotals(row), ...toGaps(row.gaps), start: row.value ?? '' })),
    values: new Map(values),
  };
}
