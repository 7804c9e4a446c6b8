import { compareStrings } from '@hitherto/domain/base';
import type { ValueTotals } from '@hitherto/domain/engine';
import type { Converted } from '@hitherto/domain/reading';
import { type ValueColumn, valueCell } from '@hitherto/wire';
import { decodeCursor, encodeCursor } from '../shared/cursor.ts';

/** By what a list can be sorted. Of `change`, the difference counts. */
export type SortColumn = 'value' | ValueColumn | 'change' | 'converted_visitors' | 'conversion_rate';

/** The order of a list, and the text that its values contain, as its address asks for them. */
export interface ListOrder {
  readonly sort: SortColumn;
  readonly isAscending: boolean;
  readonly search: string;
}

/** A row of a list, with all that it can be sorted by. */
export interface SortedRow {
  readonly values: ValueTotals & { readonly before?: number };
  readonly converted: Converted | undefined;
  readonly label: string;
}

const MAX_SEARCH_LENGTH = 100;

/** Whether the engine has the list in this order, so that a page of it can be read. */
export function isUsualOrder({ sort, isAscending, search }: ListOrder): boolean {
  return sort === 'visitors' && !isAscending && search === '';
}

/**
 * Reads the order of a list; parameters that are faulty take their default.
 *
 * @param columns by which it can be sorted
 */
export function readOrder(parameters: URLSearchParams, columns: readonly SortColumn[]): ListOrder {
  const sort = columns.find((column) => column === parameters.get('sort')) ?? 'visitors';
  const order = parameters.get('order');
  return {
    sort,
    isAscending: order === null ? sort === 'value' : order === 'asc',
    search: (parameters.get('search') ?? '').trim().slice(0, MAX_SEARCH_LENGTH),
  };
}

/** The parameters of an order, without defaults. */
export function orderParameters({ sort, isAscending, search }: ListOrder): [string, string][] {
  return [
    ...(sort === 'visitors' ? [] : [['sort', sort] satisfies [string, string]]),
    ...(isAscending === (sort === 'value') ? [] : [['order', isAscending ? 'asc' : 'desc'] satisfies [string, string]]),
    ...(search === '' ? [] : [['search', search] satisfies [string, string]]),
  ];
}

/** The order after a click on the head of a column: the other way round if it has the list already. */
export function orderBy(order: ListOrder, sort: SortColumn): ListOrder {
  const isAscending = order.sort === sort ? !order.isAscending : sort === 'value';
  return { ...order, sort, isAscending };
}

/** The rows that contain the string, in the order. Unknown numbers come last, and equal ones are in the order of their values. */
export function inOrder<Row extends SortedRow>(rows: readonly Row[], { sort, isAscending, search }: ListOrder): Row[] {
  const searched = search.toLowerCase();
  const found = rows.filter(
    ({ label, values: { value } }) =>
      label.toLowerCase().includes(searched) || (value ?? '').toLowerCase().includes(searched),
  );
  const direction = isAscending ? 1 : -1;
  const compare = (a: SortedRow, b: SortedRow): number => {
    if (sort === 'value') return direction * compareStrings(a.label.toLowerCase(), b.label.toLowerCase());
    const [one, other] = [numberOf(a, sort), numberOf(b, sort)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return direction * (one - other);
  };
  return found.sort((a, b) => compare(a, b) || compareStrings(a.values.value, b.values.value));
}

function numberOf({ values, converted }: SortedRow, sort: Exclude<SortColumn, 'value'>): number | null {
  switch (sort) {
    case 'change':
      return values.before === undefined ? null : values.visitors - values.before;
    case 'converted_visitors':
      return converted?.visitors ?? null;
    case 'conversion_rate':
      return converted?.conversionRate ?? null;
    default:
      return valueCell(values, sort);
  }
}

/** A page of rows in order. */
export interface OrderedPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
  /** Cursors of the pages before and after. */
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

/** The page that begins after the value of a cursor; the first one if the value is not there. */
export function pageInOrder<Row extends SortedRow>(
  rows: readonly Row[],
  length: number,
  cursor: string | null,
): OrderedPage<Row> {
  const [side, after] = decodeCursor(cursor);
  const start = side === 'row' ? rows.findIndex(({ values: { value } }) => value === after) + 1 : 0;
  const cursorAt = (index: number) => encodeCursor(index === 0 ? [] : ['row', rows[index - 1]?.values.value ?? null]);
  return {
    rows: rows.slice(start, start + length),
    total: rows.length,
    previous: start === 0 ? undefined : cursorAt(Math.max(0, start - length)),
    next: start + length >= rows.length ? undefined : cursorAt(start + length),
  };
}
