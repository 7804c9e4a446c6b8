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

/** Numbers by key: of each name a list, in the order of the keys. */
export interface Tallied<Key, Name extends string> {
  readonly keys: readonly Key[];
  readonly numbers: Readonly<Record<Name, Float64Array>>;
}

/** The keys, each with its numbers. */
export function* entriesOf<Key, Name extends string>({
  keys,
  numbers,
}: Tallied<Key, Name>): Generator<readonly [Key, Record<Name, number>]> {
  // The names are those of the numbers.
  const names = Object.keys(numbers) as Name[];
  for (const [place, key] of keys.entries()) {
    const entries = names.map((name) => [name, numbers[name][place] ?? 0]);
    yield [key, Object.fromEntries(entries) as Record<Name, number>];
  }
}

/** Sums of numbers by key, added up over the rows of the table, each of which has its own codes. */
export interface Tally<Key, Name extends string> {
  /**
   * Adds the numbers of keys, in the order of the names, all of one key next to each other. Keys without any number stay out.
   *
   * @param keys distinct ones, but for those without numbers
   */
  add(keys: readonly Key[], numbers: Float64Array, sign: Sign): void;
  include(tallied: Tallied<Key, Name>): void;
  /** The keys that have a number. */
  result(): Tallied<Key, Name>;
}

const FIRST_KEYS = 64;

export function createTally<Key, Name extends string>(names: readonly Name[]): Tally<Key, Name> {
  const width = names.length;
  const places = new Map<Key, number>();
  const known: Key[] = [];
  let sums = new Float64Array(FIRST_KEYS * width);

  const placeOf = (key: Key): number => {
    const found = places.get(key);
    if (found !== undefined) return found;
    const place = known.push(key) - 1;
    places.set(key, place);
    if (sums.length < known.length * width) {
      const larger = new Float64Array(2 * sums.length);
      larger.set(sums);
      sums = larger;
    }
    return place;
  };

  return {
    add(keys, numbers, sign) {
      for (let place = 0; place < keys.length; place += 1) {
        const from = place * width;
        if (!hasAny(numbers, from, from + width)) continue;
        // The list has so many keys.
        const to = placeOf(keys[place] as Key) * width;
        for (let number = 0; number < width; number += 1) {
          sums[to + number] = (sums[to + number] ?? 0) + sign * (numbers[from + number] ?? 0);
        }
      }
    },

    include({ keys, numbers }) {
      const lists = names.map((name) => numbers[name]);
      keys.forEach((key, place) => {
        const to = placeOf(key) * width;
        for (let number = 0; number < width; number += 1) {
          sums[to + number] = (sums[to + number] ?? 0) + (lists[number]?.[place] ?? 0);
        }
      });
    },

    result() {
      const chosen = new Uint32Array(known.length);
      let size = 0;
      for (let place = 0; place < known.length; place += 1) {
        if (!hasAny(sums, place * width, (place + 1) * width)) continue;
        chosen[size] = place;
        size += 1;
      }
      const listOf = (number: number) => {
        const list = new Float64Array(size);
        for (let at = 0; at < size; at += 1) list[at] = sums[(chosen[at] ?? 0) * width + number] ?? 0;
        return list;
      };
      const keys =
        size === known.length
          ? [...known]
          : known.filter((_, place) => hasAny(sums, place * width, (place + 1) * width));
      const lists = names.map((name, number) => [name, listOf(number)]);
      return { keys, numbers: Object.fromEntries(lists) as Record<Name, Float64Array> };
    },
  };
}

function hasAny(numbers: Float64Array, from: number, to: number): boolean {
  for (let place = from; place < to; place += 1) if (numbers[place] !== 0) return true;
  return false;
}
