import { compareBytes, compareStrings } from '../base/byte-order.ts';
import { storableString } from '../base/strings.ts';
import { NOT_MEASURED } from '../visits/engagement.ts';
import type { ValueOrder, ValuePage, ValuePosition, ValueTotals } from './statistics-repository.ts';

/** The number that a list is ordered by. Of engaged seconds it is the mean in tenths, as it is shown; -1 without any. */
export function numberOf(
  { visitors, engagement }: Pick<ValueTotals, 'visitors' | 'engagement'>,
  order: ValueOrder,
): number {
  if (order === 'visitors') return visitors;
  const { measured, seconds } = engagement ?? NOT_MEASURED;
  return measured === 0 ? -1 : Math.floor((20 * seconds + measured) / (2 * measured));
}

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
  order: ValueOrder,
): ValuePage {
  const at = (row: ValueTotals) => ({ number: numberOf(row, order), value: row.value });
  const lastRow = rows.at(-1);
  const last = lastRow === undefined ? position : at(lastRow);
  return {
    rows,
    previous: before && { side: 'up_to', ...at(before) },
    next: hasMore && last !== undefined ? { ...last, side: 'after' } : undefined,
    total,
  };
}

/** The page of a whole list, whatever the order of its rows. */
export function pageOfList(
  list: readonly ValueTotals[],
  limit: number,
  position: ValuePosition | undefined,
  order: ValueOrder = 'visitors',
): ValuePage {
  const sorted = list.toSorted((a, b) => numberOf(b, order) - numberOf(a, order) || compareStrings(a.value, b.value));
  const isUpTo = (row: ValueTotals, { number, value }: ValuePosition) => {
    const ofRow = numberOf(row, order);
    if (ofRow !== number || value === null) return ofRow >= number;
    return row.value !== null && compareBytes(row.value, storableString(value)) <= 0;
  };
  const boundary = position === undefined ? 0 : sorted.filter((row) => isUpTo(row, position)).length;
  const { start, end } = spanOf(boundary, limit, position);
  return valuePage(sorted.slice(start, end), sorted[start - 1], end < list.length, list.length, position, order);
}
