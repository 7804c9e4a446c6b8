import { compareStrings } from '../base/byte-order.ts';

/** The numbers of values whose changes are read. */
export const CHANGED_NUMBERS = ['visitors', 'visits', 'pageviews', 'events'] as const;
export type ChangedNumber = (typeof CHANGED_NUMBERS)[number];

/** A number of a value in the compared days, and in the days of the query. */
export interface ValueChange {
  /** `null` stands for none. */
  readonly value: string | null;
  readonly before: number;
  readonly after: number;
}

/** The values of a dimension that have a number in the days of a query, or in the days that it is compared with. */
export interface ValueChanges {
  /** The values that changed most: the largest change first, then in byte order; none comes last among equals. */
  readonly largest: readonly ValueChange[];
  /** How many values there are, none included. */
  readonly total: number;
  /** The numbers of all values but none: each value has one place in both lists. The order is arbitrary. */
  readonly before: Float64Array;
  readonly after: Float64Array;
}

/**
 * The changes of all values of a dimension.
 *
 * @param limit how many values are in `largest`
 */
export function valueChanges(values: readonly ValueChange[], limit: number): ValueChanges {
  const counted = values.filter(({ before, after }) => before > 0 || after > 0);
  const sizeOf = ({ before, after }: ValueChange) => Math.abs(after - before);
  const some = counted.filter(({ value }) => value !== null);
  return {
    largest: counted.toSorted((a, b) => sizeOf(b) - sizeOf(a) || compareStrings(a.value, b.value)).slice(0, limit),
    total: counted.length,
    before: Float64Array.from(some, ({ before }) => before),
    after: Float64Array.from(some, ({ after }) => after),
  };
}

/** The values of either list, with their numbers in both. */
export function joinNumbers(
  before: ReadonlyMap<string | null, number>,
  after: ReadonlyMap<string | null, number>,
): readonly ValueChange[] {
  const values = new Set([...before.keys(), ...after.keys()]);
  return Array.from(values, (value) => ({ value, before: before.get(value) ?? 0, after: after.get(value) ?? 0 }));
}
