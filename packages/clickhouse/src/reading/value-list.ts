import { storableString } from '@hitherto/domain/base';
import type { ValueOrder, ValuePage, ValuePosition, ValueTotals } from '@hitherto/domain/engine';
import { spanOf, valuePage } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import type { ClickHouse } from '../connection/client.ts';
import { raw, type Sql, sql } from '../connection/sql.ts';
import { NO_GAPS, NUMBERS, type RowWithGaps, SUMS_WITH_GAPS, toGaps, toTotals, toValue } from '../tables/kinds.ts';
import { overflowed, type SelectRows } from './rows.ts';

/** A row of the page, the one before it, or the first one, with the numbers of the whole list. */
interface ListedRow extends RowWithGaps {
  readonly value: string;
  /** Where it stands in the list, from 1. */
  readonly rank: string;
  readonly total: string;
  /** How many rows come before the position or stand at it. */
  readonly boundary: string;
  readonly open_values: string;
}

/** Whether an empty string stands for none, as in dimensions, or is a value, as in properties. */
type EmptyValue = 'none' | 'value';

/** The number that a list is ordered by (`numberOf` in the domain). */
const ORDERS: Readonly<Record<ValueOrder, Sql>> = {
  visitors: raw('visitors'),
  engaged_seconds: raw('if(measured = 0, -1, toInt64(intDiv(20 * seconds + measured, 2 * greatest(measured, 1))))'),
};

/** The order of lists: by a number, the greatest first, then by value in byte order; none comes last among equals. */
export function listOrder(empty: EmptyValue, order: ValueOrder = 'visitors'): Sql {
  return sql`${ORDERS[order]} desc, ${raw(empty === 'none' ? "value = '', value" : 'value')}`;
}

/** Reads a page of a list of the values of a dimension. */
export async function readDimensionPage(
  server: ClickHouse,
  rows: SelectRows,
  dimension: Dimension,
  limit: number,
  position: ValuePosition | undefined,
  order: ValueOrder = 'visitors',
): Promise<ValuePage> {
  const found = await readRows(server, rows([dimension]), limit, position, 'none', order);
  const isOverflowed = overflowed(found.map((row) => ({ ...row, kind: dimension }))).length > 0;
  const listed = isOverflowed
    ? await readRows(server, rows([dimension], { folded: [dimension] }), limit, position, 'none', order)
    : found;
  return pageOf(listed, limit, position, 'none', order);
}

/** Reads a page of a list of the values of a property. */
export async function readPropertyPage(
  server: ClickHouse,
  numbers: Sql,
  limit: number,
  position: ValuePosition | undefined,
): Promise<ValuePage> {
  const rows = sql`select *, ${NO_GAPS}, 0 as is_open from (${numbers})`;
  return pageOf(
    await readRows(server, rows, limit, position, 'value', 'visitors'),
    limit,
    position,
    'value',
    'visitors',
  );
}

/** @param rows a select of values, numbers, gaps and `is_open`, which are summed up by value */
function readRows(
  server: ClickHouse,
  rows: Sql,
  limit: number,
  position: ValuePosition | undefined,
  empty: EmptyValue,
  order: ValueOrder,
): Promise<ListedRow[]> {
  // Starts with the row directly before the page.
  const [from, to] = position?.side === 'up_to' ? [-limit, 0] : [0, limit];
  return server.read<ListedRow>(sql`
    select value, ${NUMBERS}, gaps, rank, total, boundary, open_values from (
      select *, row_number() over (order by ${listOrder(empty, order)}) as rank, count() over () as total,
        countIf(${isUpTo(position, empty, order)}) over () as boundary, sum(is_open) over () as open_values
      from (select value, ${SUMS_WITH_GAPS}, sum(is_open) as is_open from (${rows}) group by value)
    )
    where rank = 1 or toInt64(rank) - toInt64(boundary) between ${from} and ${to} order by rank`);
}

function pageOf(
  found: readonly ListedRow[],
  limit: number,
  position: ValuePosition | undefined,
  empty: EmptyValue,
  order: ValueOrder,
): ValuePage {
  const total = Number(found[0]?.total ?? 0);
  const { start, end } = spanOf(Number(found[0]?.boundary ?? 0), limit, position);
  const toRow = (row: ListedRow): ValueTotals => ({
    ...toTotals(row),
    ...toGaps(row),
    value: empty === 'none' ? toValue(row.value) : row.value,
  });
  const inSpan = found.filter(({ rank }) => Number(rank) > start && Number(rank) <= end);
  const before = found.find(({ rank }) => Number(rank) === start);
  return valuePage(inSpan.map(toRow), before && toRow(before), end < total, total, position, order);
}

/** The condition that a row comes before the position or stands at it, in the order of the list. */
function isUpTo(position: ValuePosition | undefined, empty: EmptyValue, order: ValueOrder): Sql {
  if (position === undefined) return sql`false`;
  const { number, value } = position;
  const ofRow = ORDERS[order];
  const isValue = empty === 'none' ? sql`value != '' and ` : sql``;
  const isFirst = value === null ? sql`true` : sql`${isValue} value <= ${storableString(value)}`;
  return sql`(${ofRow} > ${number} or ${ofRow} = ${number} and ${isFirst})`;
}
