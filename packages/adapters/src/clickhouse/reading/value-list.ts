import type { ValuePage, ValuePosition, ValueTotals } from '@hitherto/domain';
import { storableString } from '../../strings.ts';
import { spanOf, valuePage } from '../../value-page.ts';
import type { ClickHouse } from '../connection/client.ts';
import { raw, type Sql, sql } from '../connection/sql.ts';
import { NUMBERS, type RowWithGaps, SUMS_WITH_GAPS, toGaps, toTotals, toValue } from '../tables/kinds.ts';

/** A row of the page, the one before it, or the first one, with the numbers of the whole list. */
interface ListedRow extends RowWithGaps {
  readonly value: string;
  /** Where it stands in the list, from 1. */
  readonly rank: string;
  readonly total: string;
  /** How many rows come before the position or stand at it. */
  readonly boundary: string;
}

/** Whether an empty string stands for none, as in dimensions, or is a value, as in properties. */
export type EmptyValue = 'none' | 'value';

/** The order of lists: by visitors, the most first, then by value in byte order; none comes last among equals. */
export function listOrder(empty: EmptyValue): Sql {
  return empty === 'none' ? raw("visitors desc, value = '', value") : raw('visitors desc, value');
}

/**
 * Reads a page of a list of values.
 *
 * @param rows a select of values, numbers and gaps, which are summed up by value
 */
export async function readValuePage(
  server: ClickHouse,
  rows: Sql,
  limit: number,
  position: ValuePosition | undefined,
  empty: EmptyValue = 'none',
): Promise<ValuePage> {
  // Starts with the row directly before the page.
  const [from, to] = position?.side === 'up_to' ? [-limit, 0] : [0, limit];
  const found = await server.read<ListedRow>(sql`
    select value, ${NUMBERS}, gaps, rank, total, boundary from (
      select *, row_number() over (order by ${listOrder(empty)}) as rank, count() over () as total,
        countIf(${isUpTo(position, empty)}) over () as boundary
      from (select value, ${SUMS_WITH_GAPS} from (${rows}) group by value)
    )
    where rank = 1 or toInt64(rank) - toInt64(boundary) between ${from} and ${to} order by rank`);
  const total = Number(found[0]?.total ?? 0);
  const { start, end } = spanOf(Number(found[0]?.boundary ?? 0), limit, position);
  const toRow = (row: ListedRow): ValueTotals => ({
    ...toTotals(row),
    ...toGaps(row),
    value: empty === 'none' ? toValue(row.value) : row.value,
  });
  const inSpan = found.filter(({ rank }) => Number(rank) > start && Number(rank) <= end);
  const before = found.find(({ rank }) => Number(rank) === start);
  return valuePage(inSpan.map(toRow), before && toRow(before), end < total, total, position);
}

/** The condition that a row comes before the position or stands at it, in the order of the list. */
function isUpTo(position: ValuePosition | undefined, empty: EmptyValue): Sql {
  if (position === undefined) return sql`false`;
  const { visitors, value } = position;
  const isValue = empty === 'none' ? sql`value != '' and ` : sql``;
  const isFirst = value === null ? sql`true` : sql`${isValue} value <= ${storableString(value)}`;
  return sql`(visitors > ${visitors} or visitors = ${visitors} and ${isFirst})`;
}
