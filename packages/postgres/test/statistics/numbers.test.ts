import { compareStrings, storableString } from '@hitherto/domain/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addUpNumbers } from '../../src/statistics/days/number-rows.ts';
import {
  decodeKeys,
  decodeRest,
  decodeShort,
  decodeStrings,
  encodeNumbers,
  placeOfKey,
  STORED_COLUMNS,
  type StoredNumbers,
} from '../../src/statistics/days/stored-numbers.ts';
import { createSums, partOfList } from '../../src/statistics/days/sums.ts';
import { valueKeys } from '../../src/statistics/days/value-keys.ts';

/** From none to more than 32 bits. */
const numbers = fc.oneof(fc.nat(3), fc.nat(300), fc.nat(70_000), fc.nat(2 ** 31 - 1), fc.maxSafeNat());
const strings = fc.string({ unit: 'binary' }).map(storableString);
const values = fc.uniqueArray(fc.option(strings, { nil: null }), { maxLength: 300 });

const COLUMNS: readonly string[] = STORED_COLUMNS;

function store(list: readonly (string | null)[], numberOf: (place: number, column: number) => number): StoredNumbers {
  const numbersOf = (name: string) => list.map((_, place) => numberOf(place, COLUMNS.indexOf(name)));
  return encodeNumbers(valueKeys('secret', list), list, numbersOf);
}

/** The numbers of each value. */
function read({ size, keys, rest, strings }: StoredNumbers): Map<string | null, number[]> {
  const columns = [...decodeShort(size, keys), ...decodeRest(size, rest)];
  return new Map(
    decodeStrings(strings).map((value, place) => [value, columns.map((column) => column[place] ?? Number.NaN)]),
  );
}

describe('stored numbers', () => {
  it('are the numbers that were stored', () => {
    fc.assert(
      fc.property(values, fc.array(numbers, { minLength: 12, maxLength: 12 }), (list, some) => {
        // Some columns are zeros alone.
        const numberOf = (place: number, column: number) => (place % 3 === 0 ? (some[column] ?? 0) : 0);

        expect(read(store(list, numberOf))).toEqual(
          new Map(list.map((value, place) => [value, COLUMNS.map((_, column) => numberOf(place, column))])),
        );
      }),
    );
  });

  it('have a key for each value, which depends on a secret', () => {
    const list = Array.from({ length: 1_000 }, (_, place) => (place === 0 ? null : `/${place}`));
    const { size, keys } = store(list, () => 1);
    const decoded = decodeKeys(size, keys);

    list.forEach((value, place) => {
      expect(placeOfKey(decoded, valueKeys('secret', [value]))).toBe(place);
    });
    expect(placeOfKey(decoded, valueKeys('secret', ['/0', '']))).toBeUndefined();
    expect(placeOfKey(decoded, valueKeys('another secret', ['/1']))).toBeUndefined();
  });

  it('add up to the sums of each value', () => {
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 5 }), (lists) => {
        const sums = new Map<string | null, number>();
        for (const value of lists.flat()) sums.set(value, (sums.get(value) ?? 0) + 1);

        const added = read(addUpNumbers(lists.map((list) => store(list, (_, column) => column + 1))));

        expect(added).toEqual(
          new Map(Array.from(sums, ([value, count]) => [value, COLUMNS.map((_, column) => count * (column + 1))])),
        );
      }),
    );
  });
});

describe('a part of a list', () => {
  it('has its values in order, whatever values are equal, and reads few other strings', async () => {
    const arbitrary = fc.record({
      list: values,
      visitors: fc.array(fc.nat(5), { minLength: 300, maxLength: 300 }),
      from: fc.nat(20),
      size: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ list, visitors, from, size }) => {
        const sums = createSums(1);
        sums.add(valueKeys('secret', list), [visitors], 0);
        const places = list.map((_, place) => place);
        const visitorsOf = (place: number) => sums.number(place, 0);
        const sorted = places.toSorted(
          (a, b) => visitorsOf(b) - visitorsOf(a) || compareStrings(list[a] ?? null, list[b] ?? null),
        );
        const wanted = sorted.slice(from, from + size);
        const named: number[] = [];

        const part = await partOfList(places, visitorsOf, from, from + size, async (some) => {
          named.push(...some);
          return some.map((place) => ({ place, value: list[place] ?? null }));
        });

        expect(part.map(({ place }) => place)).toEqual(wanted);
        const equal = new Set(wanted.map(visitorsOf));
        for (const place of named) {
          expect(visitorsOf(place)).toBeLessThanOrEqual(Math.max(...equal));
          expect(visitorsOf(place)).toBeGreaterThanOrEqual(Math.min(...equal));
        }
      }),
    );
  });
});
