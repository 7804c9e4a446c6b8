import { compareStrings } from '@hitherto/domain/base';
import {
  mostChanged,
  pageOfList,
  type TopValues,
  type ValueOrder,
  type ValuePage,
  type ValuePosition,
  type ValueTotals,
} from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { entriesOf } from '../columns/counter.ts';
import type { ByValue } from '../columns/question.ts';
import { type TotalsName, totalsOfNumbers } from '../columns/totals.ts';
import type { VisitorNumber } from '../columns/visitors.ts';

/** A page of the list of these values. */
export function pageOfValues(
  values: ByValue<TotalsName>,
  limit: number,
  position: ValuePosition | undefined,
  order?: ValueOrder,
): ValuePage {
  const list = Array.from(
    entriesOf(values),
    ([value, numbers]): ValueTotals => ({ ...totalsOfNumbers(numbers), value }),
  );
  return pageOfList(list, limit, position, order);
}

/**
 * The first of these values.
 *
 * @param before the values of the days that are compared
 * @param changed the dimensions whose most changed values are found
 */
export function firstValues(
  dimension: Dimension,
  { keys, numbers }: ByValue<VisitorNumber>,
  limit: number,
  before?: ByValue<VisitorNumber>,
  changed: readonly Dimension[] = [],
): TopValues {
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
  const visitorsBefore = new Map(before?.keys.map((value, place) => [value, before.numbers.visitors[place] ?? 0]));
  const rows = first.map((place) => {
    const value = keys[place] ?? null;
    return {
      value,
      visitors: visitorsOf(place),
      events: dimension === 'event' ? (numbers.hits[place] ?? 0) : undefined,
      ...(before === undefined ? {} : { before: visitorsBefore.get(value) ?? 0 }),
    };
  });
  if (before === undefined || !changed.includes(dimension)) return { rows, total: keys.length };
  const ofNow = keys.map((value, place) => ({
    value,
    visitors: visitorsOf(place),
    before: visitorsBefore.get(value) ?? 0,
  }));
  const known = new Set(keys);
  const gone = [...visitorsBefore].filter(([value]) => !known.has(value));
  const all = [...ofNow, ...gone.map(([value, visitors]) => ({ value, visitors: 0, before: visitors }))];
  return { rows, total: keys.length, changed: mostChanged(all) };
}
