import { compareStrings } from '@hitherto/domain/base';
import {
  pageOfList,
  type TopValues,
  type ValuePage,
  type ValuePosition,
  type ValueTotals,
} from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { entriesOf } from '../columns/counter.ts';
import type { ByValue } from '../columns/question.ts';
import type { TotalsName } from '../columns/totals.ts';
import type { VisitorNumber } from '../columns/visitors.ts';

/** A page of the list of these values. */
export function pageOfValues(
  values: ByValue<TotalsName>,
  limit: number,
  position: ValuePosition | undefined,
): ValuePage {
  const list = Array.from(entriesOf(values), ([value, totals]): ValueTotals => ({ ...totals, value }));
  list.sort((a, b) => b.visitors - a.visitors || compareStrings(a.value, b.value));
  return pageOfList(list, limit, position);
}

/** The first of these values. */
export function firstValues(dimension: Dimension, { keys, numbers }: ByValue<VisitorNumber>, limit: number): TopValues {
  const visitorsOf = (place: number) => numbers.visitors[place] ?? 0;
  const first: number[] = [];
  const isBefore = (a: number, b: number) =>
    (visitorsOf(b) - visitorsOf(a) || compareStrings(keys[a] ?? null, keys[b] ?? null)) < 0;
  // Most lists are long, and few of their values are shown.
  for (let place = 0; place < keys.length; place += 1) {
    const last = first.length < limit ? undefined : first.at(-1);
    if (limit === 0 || (last !== undefined && !isBefore(place, last))) continue;
    const at = first.findIndex((other) => isBefore(place, other));
    first.splice(at === -1 ? first.length : at, 0, place);
    if (first.length > limit) first.pop();
  }
  const rows = first.map((place) => ({
    value: keys[place] ?? null,
    visitors: visitorsOf(place),
    events: dimension === 'event' ? (numbers.hits[place] ?? 0) : undefined,
  }));
  return { rows, total: keys.length };
}
