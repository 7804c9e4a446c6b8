import type { ColumnName, VisitColumns } from './visit-columns.ts';

/** The places of the chosen visits, in order. */
export type Chosen = Uint32Array;

/** Whether visits are added to what was counted, or no longer count. */
export type Sign = 1 | -1;

/** Counts chosen visits, one row of the table after the other. A visitor's visits of a day are in one row. */
export interface Counter<Result> {
  /** The columns that `add` reads. */
  readonly columns: readonly ColumnName[];
  add(visits: VisitColumns, chosen: Chosen, sign: Sign): void;
  /** Adds what another counter of the same question has counted. */
  include(result: Result): void;
  result(): Result;
}

/** Adds to a number. */
export function add(numbers: Float64Array, place: number, number: number): void {
  numbers[place] = (numbers[place] ?? 0) + number;
}

/**
 * Sums of numbers by value, added up over the rows of the table, each of which has its own codes. There are `width`
 * numbers for each value.
 */
export interface Tally<Value> {
  /**
   * Adds the numbers of values, all of one value next to each other. Values without any number stay out.
   *
   * @param values distinct ones
   */
  add(values: readonly Value[], numbers: Float64Array, sign?: Sign): void;
  /** How many values there are. */
  size(): number;
  /** The values that have a number, and the numbers of each. */
  rows(): Iterable<readonly [value: Value, numbers: Float64Array]>;
}

const FIRST_VALUES = 64;

export function createTally<Value>(width: number): Tally<Value> {
  const places = new Map<Value, number>();
  let sums = new Float64Array(FIRST_VALUES * width);

  const placeOf = (value: Value): number => {
    const known = places.get(value);
    if (known !== undefined) return known;
    const place = places.size;
    places.set(value, place);
    if (sums.length < places.size * width) {
      const larger = new Float64Array(2 * sums.length);
      larger.set(sums);
      sums = larger;
    }
    return place;
  };

  return {
    size: () => places.size,
    add(values, numbers, sign = 1) {
      values.forEach((value, place) => {
        const from = place * width;
        if (!hasAny(numbers, from, from + width)) return;
        const to = placeOf(value) * width;
        for (let number = 0; number < width; number += 1) {
          sums[to + number] = (sums[to + number] ?? 0) + sign * (numbers[from + number] ?? 0);
        }
      });
    },
    *rows() {
      for (const [value, place] of places) {
        const from = place * width;
        if (hasAny(sums, from, from + width)) yield [value, sums.subarray(from, from + width)];
      }
    },
  };
}

function hasAny(numbers: Float64Array, from: number, to: number): boolean {
  for (let place = from; place < to; place += 1) if (numbers[place] !== 0) return true;
  return false;
}
