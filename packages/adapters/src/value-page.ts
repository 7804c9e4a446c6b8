import type { ValuePage, ValuePosition, ValueTotals } from '@hitherto/domain';

/** Which rows of a list a page shows: from `start`, counted from 0, to before `end`. */
export interface PageSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * The span of a page.
 *
 * @param boundary how many rows of the list come before the position or stand at it
 */
export function spanOf(boundary: number, limit: number, position: ValuePosition | undefined): PageSpan {
  if (position?.side === 'up_to') return { start: Math.max(0, boundary - limit), end: boundary };
  return { start: boundary, end: boundary + limit };
}

/**
 * The page of a list.
 *
 * @param before the row directly before the page, where there is one
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
