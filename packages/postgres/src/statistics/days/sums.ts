import { compareStrings } from '@hitherto/domain/base';
import { larger } from '../columns/larger.ts';

/**
 * Sums of numbers by value, where only the key of the value is known. Each value remembers where it came first, so that its string can be
 * read.
 */
export interface Sums {
  /** How many values there are. */
  size(): number;
  /**
   * Adds the numbers of values with these keys; `columns` has a list for each number, from the number `first` on. Returns the values'
   * places in the sums.
   */
  add(keys: Uint32Array, columns: readonly ArrayLike<number>[], source: number, first?: number): Uint32Array;
  number(place: number, column: number): number;
  /** The place of the value with this key, if there is one. */
  find(key: Uint32Array): number | undefined;
  /** Where the value came first: the source, and its place there. */
  origin(place: number): { readonly source: number; readonly place: number };
}

const FIRST_SIZE = 64;

/** @param width how many numbers each value has */
export function createSums(width: number): Sums {
  let [keys, numbers] = [new Uint32Array(2 * FIRST_SIZE), new Float64Array(width * FIRST_SIZE)];
  let [sources, origins] = [new Uint32Array(FIRST_SIZE), new Uint32Array(FIRST_SIZE)];
  /** A table with open addressing: the places of values, counted from 1. At most half of it is filled. */
  let table = new Uint32Array(2 * FIRST_SIZE);
  let size = 0;

  const slotOf = (low: number, high: number): number => {
    const last = table.length - 1;
    for (let slot = low & last; ; slot = (slot + 1) & last) {
      const place = (table[slot] ?? 0) - 1;
      if (place < 0 || (keys[2 * place] === low && keys[2 * place + 1] === high)) return slot;
    }
  };

  const grow = () => {
    [keys, numbers, sources, origins] = [larger(keys), larger(numbers), larger(sources), larger(origins)];
    table = new Uint32Array(2 * table.length);
    for (let place = 0; place < size; place += 1) {
      table[slotOf(keys[2 * place] ?? 0, keys[2 * place + 1] ?? 0)] = place + 1;
    }
  };

  const placeOf = (low: number, high: number, source: number, origin: number): number => {
    if (size === sources.length) grow();
    const slot = slotOf(low, high);
    const known = (table[slot] ?? 0) - 1;
    if (known >= 0) return known;
    keys[2 * size] = low;
    keys[2 * size + 1] = high;
    sources[size] = source;
    origins[size] = origin;
    size += 1;
    table[slot] = size;
    return size - 1;
  };

  return {
    size: () => size,
    add(added, columns, source, first = 0) {
      const places = new Uint32Array(added.length / 2);
      for (let value = 0; value < places.length; value += 1) {
        places[value] = placeOf(added[2 * value] ?? 0, added[2 * value + 1] ?? 0, source, value);
      }
      columns.forEach((column, number) => {
        for (let value = 0; value < places.length; value += 1) {
          const at = (places[value] ?? 0) * width + first + number;
          numbers[at] = (numbers[at] ?? 0) + (column[value] ?? 0);
        }
      });
      return places;
    },
    number: (place, column) => numbers[place * width + column] ?? 0,
    find([low = 0, high = 0]) {
      const place = (table[slotOf(low, high)] ?? 0) - 1;
      return place < 0 ? undefined : place;
    },
    origin: (place) => ({ source: sources[place] ?? 0, place: origins[place] ?? 0 }),
  };
}

/** A place in sums, and the string of its value. */
export interface NamedPlace {
  readonly place: number;
  readonly value: string | null;
}

/** Reads the strings of the values at these places. */
export type NamePlaces = (places: readonly number[]) => Promise<readonly NamedPlace[]>;

/**
 * The part of a list from one rank, counted from 0, up to but not including another: values with most visitors first, equal ones
 * in the order of their strings. Only the strings of values that may be in the part are read.
 *
 * @param places of the values in the list
 * @param visitors of each of these places
 */
export async function partOfList(
  places: readonly number[],
  visitorsOf: (place: number) => number,
  from: number,
  to: number,
  name: NamePlaces,
): Promise<readonly NamedPlace[]> {
  if (from >= Math.min(to, places.length)) return [];
  const ascending = Float64Array.from(places, visitorsOf).sort();
  const most = ascending[ascending.length - 1 - from] ?? 0;
  const least = ascending[Math.max(0, ascending.length - to)] ?? 0;
  const isPossible = (place: number) => visitorsOf(place) <= most && visitorsOf(place) >= least;
  const before = places.reduce((count, place) => count + Number(visitorsOf(place) > most), 0);
  const named = [...(await name(places.filter(isPossible)))];
  named.sort((a, b) => visitorsOf(b.place) - visitorsOf(a.place) || compareStrings(a.value, b.value));
  return named.slice(from - before, to - before);
}
