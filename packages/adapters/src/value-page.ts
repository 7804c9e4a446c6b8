import type { ValuePage, ValuePosition, ValueTotals } from '@hitherto/domain';

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
