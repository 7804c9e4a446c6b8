import { compareStrings, storableString } from '@hitherto/domain/base';
import { spanOf, type ValuePage, type ValuePosition, type ValueTotals, valuePage } from '@hitherto/domain/engine';
import type { Transaction } from '../../connection/transaction.ts';
import { type ReadNumbers, readNumbers } from '../days/number-rows.ts';
import {
  decodeKeys,
  decodeRest,
  decodeShort,
  decodeStrings,
  STORED_COLUMNS,
  totalsBy,
} from '../days/stored-numbers.ts';
import { createSums, type NamedPlace, type NamePlaces, partOfList } from '../days/sums.ts';
import { knownValueKeys } from '../days/value-keys.ts';
import { type Kind, type NumberColumn, toGaps } from '../summary-columns.ts';

/** Values to add to a list, each once, and their numbers; those that are absent are zeros. */
export interface AddedList {
  readonly values: readonly (string | null)[];
  readonly numbers: Partial<Readonly<Record<NumberColumn, ArrayLike<number>>>>;
  /** The gaps of each value; none of hits. */
  readonly gaps?: readonly (number | null)[];
}

/**
 * The list of a kind, added up by the keys of values. Of values in stored numbers only the keys are known: their strings are read
 * where they are needed.
 */
export interface KeyedList {
  /** How many values are listed. */
  readonly total: number;
  /** The values from one rank, counted from 0, up to but not including another. */
  part(from: number, to: number): Promise<readonly ValueTotals[]>;
  /** How many values come before a position or stand at it. */
  countUpTo(position: ValuePosition): Promise<number>;
}

/**
 * @param stored rows of one kind
 * @param added values that are not in stored numbers
 * @param secret what the keys of values depend on
 * @param readStrings reads the values of a row of `stored`
 */
export function keyedList(
  stored: readonly ReadNumbers[],
  added: readonly AddedList[],
  secret: string,
  readStrings: ReadStrings,
): KeyedList {
  const sums = createSums(STORED_COLUMNS.length);
  // Most values come first in one of the longest lists, so the strings of few rows are read.
  const sources = stored.toSorted((a, b) => b.size - a.size);
  sources.forEach(({ size, keys, rest }, source) => {
    const others = rest.length > 0 ? decodeRest(size, rest) : [];
    sums.add(decodeKeys(size, keys), [...decodeShort(size, keys), ...others], source);
  });
  const gaps = new Map<number, number>();
  const lists = added.filter(({ values }) => values.length > 0);
  lists.forEach(({ values, numbers, gaps: ofValues }, list) => {
    const columns = STORED_COLUMNS.map((column) => numbers[column] ?? []);
    const places = sums.add(knownValueKeys(secret, values), columns, sources.length + list);
    ofValues?.forEach((ofValue, value) => {
      const place = places[value];
      if (ofValue !== null && place !== undefined) gaps.set(place, (gaps.get(place) ?? 0) | ofValue);
    });
  });

  const visitorsOf = (place: number) => sums.number(place, 0);
  // As `IS_LISTED`.
  const listed = Array.from({ length: sums.size() }, (_, place) => place).filter(
    (place) => visitorsOf(place) > 0 || gaps.has(place),
  );
  const name: NamePlaces = async (places) => {
    const origins = places.map(sums.origin);
    const wanted = new Set(origins.flatMap(({ source }) => sources[source] ?? []));
    const strings = await readStrings([...wanted]);
    return places.map((place, at) => {
      const origin = origins[at];
      const source = origin?.source ?? 0;
      const row = sources[source];
      const list = row === undefined ? lists[source - sources.length]?.values : strings.get(row);
      return { place, value: list?.[origin?.place ?? 0] ?? null };
    });
  };
  const toRow = ({ place, value }: NamedPlace): ValueTotals => ({
    ...totalsBy((column) => sums.number(place, STORED_COLUMNS.indexOf(column))),
    value,
    ...toGaps(gaps.get(place)),
  });

  return {
    total: listed.length,
    async part(from, to) {
      return (await partOfList(listed, visitorsOf, from, to, name)).map(toRow);
    },
    async countUpTo({ visitors, value }) {
      const more = listed.filter((place) => visitorsOf(place) > visitors).length;
      const equal = await name(listed.filter((place) => visitorsOf(place) === visitors));
      const last = value === null ? null : storableString(value);
      return more + equal.filter((named) => compareStrings(named.value, last) <= 0).length;
    },
  };
}

export type ReadStrings = (
  rows: readonly ReadNumbers[],
) => Promise<ReadonlyMap<ReadNumbers, readonly (string | null)[]>>;

/** Reads the strings of the values of rows. Calls at the same time share a statement. */
export function stringsReader(transaction: Transaction, websiteNumber: string): ReadStrings {
  const keyOf = ({ isMonth, day, kind }: ReadNumbers) => `${isMonth} ${day} ${kind}`;
  const readAll = async (rows: readonly ReadNumbers[]) => {
    const days = new Map<string, { isMonth: boolean; days: string[]; kinds: Kind[] }>();
    for (const { isMonth, day, kind } of rows) {
      const part = days.get(`${isMonth} ${kind}`) ?? { isMonth, days: [], kinds: [kind] };
      part.days.push(day);
      days.set(`${isMonth} ${kind}`, part);
    }
    const read = await readNumbers(transaction, websiteNumber, [...days.values()], ['strings']);
    const strings = new Map(read.map((row) => [keyOf(row), decodeStrings(row.strings)]));
    return new Map(rows.map((row) => [row, strings.get(keyOf(row)) ?? []]));
  };
  let next: { readonly rows: Set<ReadNumbers>; readonly read: ReturnType<typeof readAll> } | undefined;
  return (wanted) => {
    if (next === undefined) {
      const rows = new Set<ReadNumbers>();
      const read = Promise.resolve().then(() => {
        next = undefined;
        return readAll([...rows]);
      });
      next = { rows, read };
    }
    for (const row of wanted) next.rows.add(row);
    return next.read;
  };
}

/** A page of a list. */
export async function pageOfKeyedList(
  list: KeyedList,
  limit: number,
  position: ValuePosition | undefined,
): Promise<ValuePage> {
  const boundary = position === undefined ? 0 : await list.countUpTo(position);
  const { start, end } = spanOf(boundary, limit, position);
  const first = Math.max(0, start - 1);
  const found = await list.part(first, end);
  const rows = found.slice(start - first);
  return valuePage(rows, start > 0 ? found[0] : undefined, end < list.total, list.total, position);
}
