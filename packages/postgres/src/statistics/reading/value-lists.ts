import { compareStrings } from '@hitherto/domain/base';
import {
  pageOfList,
  type TopValues,
  type ValuePage,
  type ValuePosition,
  type ValueTotals,
} from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { sumTotals, type Totals } from '@hitherto/domain/visits';
import type { ByValue } from '../columns/question.ts';
import type { VisitorNumbers } from '../columns/visitors.ts';

/** Numbers by value, added up. */
export function addUp(parts: readonly ByValue<Totals>[]): ByValue<Totals> {
  const [first = new Map<string | null, Totals>(), ...others] = parts;
  const sums = new Map(first);
  for (const [value, totals] of others.flatMap((part) => [...part])) {
    const known = sums.get(value);
    sums.set(value, known === undefined ? totals : sumTotals([known, totals]));
  }
  return sums;
}

/** A page of the list of these values. */
export function pageOfValues(values: ByValue<Totals>, limit: number, position: ValuePosition | undefined): ValuePage {
  const list = Array.from(values, ([value, totals]): ValueTotals => ({ ...totals, value }));
  list.sort((a, b) => b.visitors - a.visitors || compareStrings(a.value, b.value));
  return pageOfList(list, limit, position);
}

/** The first of these values. */
export function firstValues(dimension: Dimension, values: ByValue<VisitorNumbers>, limit: number): TopValues {
  const first = firstBy(
    [...values],
    limit,
    ([a, ofA], [b, ofB]) => ofB.visitors - ofA.visitors || compareStrings(a, b),
  );
  const rows = first.map(([value, { visitors, hits }]) => ({
    value,
    visitors,
    events: dimension === 'event' ? hits : undefined,
  }));
  return { rows, total: values.size };
}

/** The first items in order. Most lists are long, and few of their items are shown. */
function firstBy<Item>(items: readonly Item[], limit: number, compare: (a: Item, b: Item) => number): Item[] {
  if (items.length <= 2 * limit) return items.toSorted(compare).slice(0, limit);
  const first: Item[] = [];
  for (const item of items) {
    const last = first[limit - 1];
    if (last !== undefined && compare(item, last) >= 0) continue;
    const place = first.findIndex((other) => compare(item, other) < 0);
    first.splice(place === -1 ? first.length : place, 0, item);
    if (first.length > limit) first.pop();
  }
  return first;
}
