import { compareBytes } from '../base/byte-order.ts';
import { storableString } from '../base/strings.ts';
import type { ValuePage, ValuePosition, ValueTotals } from './statistics-repository.ts';

/** The rows of a list on a page: from `start`, counted from 0, up to but not including `end`. */
export interface PageSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * The span of a page.
 *
 * @param boundary the number of rows before or at the position
 */
export function spanOf(boundary: number, limit: number, position: ValuePosition | undefined): PageSpan {
  if (position?.side === 'up_to') return { start: Math.max(0, boundary - limit), end: boundary };
  return { start: boundary, end: boundary + limit };
}

/**
 * The page of a list.
 *
 * @param before the row directly before the page, if any
 */
export function valuePage(
  rows: readonly ValueTotals[],
  before: ValueTotals | undefined,
  hasMore: boolean,
  total: number,
  position: ValuePosition | undefined,
): ValuePage {
  const last = rows.at(-1) ?? position;
  return {
    rows,
    previous: before && { side: 'up_to', visitors: before.visitors, value: before.value },
    next: hasMore && last !== undefined ? { side: 'after', visitors: last.visitors, value: last.value } : undefined,
    total,
  };
}

/** The page of a whole list, which is in its order. */
export function pageOfList(
  list: readonly ValueTotals[],
  limit: number,
  position: ValuePosition | undefined,
): ValuePage {
  const isUpTo = (row: ValueTotals, { visitors, value }: ValuePosition) => {
    if (row.visitors !== visitors || value === null) return row.visitors >= visitors;
    return row.value !== null && compareBytes(row.value, storableString(value)) <= 0;
  };
  const boundary = position === undefined ? 0 : list.filter((row) => isUpTo(row, position)).length;
  const { start, end } = spanOf(boundary, limit, position);
  return valuePage(list.slice(start, end), list[start - 1], end < list.length, list.length, position);
}
