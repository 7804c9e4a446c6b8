import { compareStrings, storableString } from '@hitherto/domain/base';
import type { ValuePage, ValuePosition, ValueTotals } from '@hitherto/domain/engine';
import { pageOfList, spanOf, valuePage } from '@hitherto/domain/engine';
import { sumTotals, type Totals } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { IS_LISTED, NUMBER_COLUMNS, type RowWithGaps, SUMS_WITH_GAPS, toGaps, toTotals } from '../summary-columns.ts';

/** A row of the page, or the one before it, with facts about the whole list; for an empty page, one row of nulls. */
interface ListedRow extends RowWithGaps {
  readonly value: string | null;
  /** Where it stands in the list, from 1. */
  readonly rank: number | null;
  /** How many rows the list has. */
  readonly total: number;
  /** How many rows come before the position or stand at it. */
  readonly boundary: number;
}

/**
 * Reads a page of a list of values.
 *
 * @param rows a select of values, numbers and gaps, which are summed up by value
 */
export async function readValuePage(
  transaction: Transaction,
  rows: RawBuilder<unknown>,
  limit: number,
  position: ValuePosition | undefined,
): Promise<ValuePage> {
  // Starts with the row directly before the page.
  const [from, to] = position?.side === 'up_to' ? [-limit, 0] : [0, limit];
  const listed = cte(
    'listed',
    sql`
      select value, ${SUMS_WITH_GAPS}, row_number() over (order by sum(visitors) desc, value collate "C") as rank
      from (${rows}) row group by value having ${IS_LISTED}`,
  );
  const whole = sql`
    select count(*)::double precision as total,
      (count(*) filter (where ${isUpTo(position)}))::double precision as boundary
    from ${listed}`;
  const query = sql<ListedRow>`
    select whole.total, whole.boundary, listed.value, listed.rank::double precision,
      ${columnsOf([...NUMBER_COLUMNS, 'gaps'], 'listed')}
    from (${whole}) whole left join ${listed} listed
      on listed.rank between whole.boundary + ${from}::integer and whole.boundary + ${to}::integer
    order by listed.rank`;
  const { rows: found } = await transaction.query(once(query));
  const { total, boundary } = found[0] ?? { total: 0, boundary: 0 };
  const { start, end } = spanOf(boundary, limit, position);
  const inSpan = found.filter(({ rank }) => rank !== null && rank > start && rank <= end);
  const before = found.find(({ rank }) => rank !== null && rank === start);
  return valuePage(inSpan.map(toValue), before && toValue(before), end < total, total, position);
}

/**
 * Reads all values and their numbers.
 *
 * @param rows as for `readValuePage`
 */
export async function readValues(
  transaction: Transaction,
  rows: RawBuilder<unknown>,
): Promise<ReadonlyMap<string | null, Totals>> {
  const { rows: found } = await transaction.query(
    once(sql<RowWithGaps & { value: string | null }>`
      select value, ${SUMS_WITH_GAPS} from (${rows}) row group by value having ${IS_LISTED}`),
  );
  return new Map(found.map((row) => [row.value, { ...toTotals(row), ...toGaps(row.gaps) }]));
}

/** The numbers of all maps by value. */
export function addUp(parts: readonly ReadonlyMap<string | null, Totals>[]): ReadonlyMap<string | null, Totals> {
  const [first = new Map<string | null, Totals>(), ...others] = parts;
  const sums = new Map(first);
  for (const [value, totals] of others.flatMap((part) => [...part])) {
    const known = sums.get(value);
    sums.set(value, known === undefined ? totals : sumTotals([known, totals]));
  }
  return sums;
}

/** A page of the list of these values. */
export function pageOfValues(
  values: ReadonlyMap<string | null, Totals>,
  limit: number,
  position: ValuePosition | undefined,
): ValuePage {
  const list = Array.from(values, ([value, totals]) => ({ ...totals, value }));
  list.sort((a, b) => b.visitors - a.visitors || compareStrings(a.value, b.value));
  return pageOfList(list, limit, position);
}

/** The value in a row of the database. */
export function toValue(row: RowWithGaps & { readonly value: string | null }): ValueTotals {
  return { ...toTotals(row), ...toGaps(row.gaps), value: row.value };
}

/** The condition that a row comes before the position or stands at it, in the order of the list. */
function isUpTo(position: ValuePosition | undefined): RawBuilder<unknown> {
  if (position === undefined) return sql`false`;
  const isFirst =
    position.value === null ? sql`true` : sql`value <= ${storableString(position.value)}::text collate "C"`;
  return sql`visitors > ${position.visitors}::double precision
    or visitors = ${position.visitors}::double precision and ${isFirst}`;
}
