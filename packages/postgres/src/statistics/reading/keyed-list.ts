import { compareStrings, storableString } from '@hitherto/domain/base';
import {
  type ChangedNumber,
  MOST_CHANGED,
  type MostChanged,
  mostChanged,
  numberOf,
  spanOf,
  type ValueChanges,
  type ValueOrder,
  type ValuePage,
  type ValuePosition,
  type ValueTotals,
  valuePage,
} from '@hitherto/domain/engine';
import { areVisitorsAtMost } from '@hitherto/domain/visits';
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

/** The numbers of a value and, if days are compared, its number there. */
export interface ListedValue extends ValueTotals {
  readonly before?: number;
}

export interface VisitorsOfValue {
  readonly value: string | null;
  readonly visitors: number;
}

/** Numbers of values of a kind. */
export interface ListNumbers {
  /** Rows of `day_numbers`, all of the kind. */
  readonly stored: readonly ReadNumbers[];
  /** Values that are not in stored numbers. */
  readonly added: readonly AddedList[];
}

/**
 * The list of a kind, added up by the keys of values. Of values in stored numbers only the keys are known: their strings are read
 * where they are needed.
 */
export interface KeyedList {
  /** How many values are listed. */
  readonly total: number;
  /** The values from one rank, counted from 0, up to but not including another; by visitors, if there is no other order. */
  part(from: number, to: number, order?: ValueOrder): Promise<readonly ListedValue[]>;
  /** The visitors of all values, in any order. */
  visitors(): Promise<readonly VisitorsOfValue[]>;
  /** The values whose visitors changed most. */
  changed(): Promise<MostChanged>;
  /** How the number that is compared changed, of all values. */
  changes(limit: number): Promise<ValueChanges>;
  /** How many values come before a position or stand at it. */
  countUpTo(position: ValuePosition, order: ValueOrder): Promise<number>;
}

/**
 * @param secret what the keys of values depend on
 * @param readStrings reads the values of a row of `stored`
 * @param compared the numbers of the days that are compared
 * @param number which number is compared
 */
export function keyedList(
  numbers: ListNumbers,
  secret: string,
  readStrings: ReadStrings,
  compared?: ListNumbers,
  number: ChangedNumber = 'visitors',
): KeyedList {
  const before = STORED_COLUMNS.length;
  const ofNumber = STORED_COLUMNS.indexOf(number);
  const sums = createSums(before + 1);
  const gaps = new Map<number, number>();
  const gapsBefore = new Map<number, number>();
  // Most values come first in one of the longest lists, so the strings of few rows are read.
  const bySize = (rows: readonly ReadNumbers[]) => rows.toSorted((a, b) => b.size - a.size);
  const sources = [...bySize(numbers.stored), ...bySize(compared?.stored ?? [])];
  sources.forEach(({ size, keys, rest }, source) => {
    const columns = [...decodeShort(size, keys), ...(rest.length > 0 ? decodeRest(size, rest) : [])];
    const isNow = source < numbers.stored.length;
    const [added, first] = isNow ? [columns, 0] : [columns.slice(ofNumber, ofNumber + 1), before];
    sums.add(decodeKeys(size, keys), added, source, first);
  });
  const isListed = ({ values }: AddedList) => values.length > 0;
  const added = numbers.added.filter(isListed);
  const lists = [...added, ...(compared?.added ?? []).filter(isListed)];
  lists.forEach(({ values, numbers: ofList, gaps: ofValues }, list) => {
    const isNow = list < added.length;
    const columns = isNow ? STORED_COLUMNS.map((column) => ofList[column] ?? []) : [ofList[number] ?? []];
    const places = sums.add(knownValueKeys(secret, values), columns, sources.length + list, isNow ? 0 : before);
    const known = isNow ? gaps : gapsBefore;
    ofValues?.forEach((ofValue, value) => {
      const place = places[value];
      if (ofValue !== null && place !== undefined) known.set(place, (known.get(place) ?? 0) | ofValue);
    });
  });

  const visitorsOf = (place: number) => sums.number(place, 0);
  const beforeOf = (place: number) => sums.number(place, before);
  const all = Array.from({ length: sums.size() }, (_, place) => place);
  // As `IS_LISTED`.
  const listed = all.filter((place) => visitorsOf(place) > 0 || gaps.has(place));
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
  const totalsAt = (place: number) => totalsBy((column) => sums.number(place, STORED_COLUMNS.indexOf(column)));
  const numbersIn = (order: ValueOrder) =>
    order === 'visitors' ? visitorsOf : (place: number) => numberOf(totalsAt(place), order);
  const toRow = ({ place, value }: NamedPlace): ListedValue => ({
    ...totalsAt(place),
    value,
    ...toGaps(gaps.get(place)),
    ...(compared === undefined ? {} : { before: beforeOf(place) }),
  });
  const isExact = (place: number) =>
    ![gaps, gapsBefore].some((known) => areVisitorsAtMost({ gaps: known.get(place) ?? 0 }));
  /** Rare values that are one can be among them. */
  const changedBy = async (direction: 1 | -1) => {
    const changeOf = (place: number) => (visitorsOf(place) - beforeOf(place)) * direction;
    const changed = all.filter((place) => changeOf(place) > 0 && isExact(place));
    return partOfList(changed, changeOf, 0, MOST_CHANGED + 1, name);
  };

  return {
    total: listed.length,
    async part(from, to, order = 'visitors') {
      return (await partOfList(listed, numbersIn(order), from, to, name)).map(toRow);
    },
    async visitors() {
      return (await name(listed)).map(({ place, value }) => ({ value, visitors: visitorsOf(place) }));
    },
    async changed() {
      const found = (await Promise.all([changedBy(1), changedBy(-1)])).flat();
      return mostChanged(
        found.map(({ place, value }) => ({ value, visitors: visitorsOf(place), before: beforeOf(place) })),
      );
    },
    async changes(limit) {
      const afterOf = (place: number) => sums.number(place, ofNumber);
      const sizeOf = (place: number) => Math.abs(afterOf(place) - beforeOf(place));
      const counted = all.filter((place) => afterOf(place) > 0 || beforeOf(place) > 0);
      const largest = await partOfList(counted, sizeOf, 0, limit, name);
      const none = sums.find(knownValueKeys(secret, [null]));
      const some = counted.filter((place) => place !== none);
      return {
        largest: largest.map(({ place, value }) => ({ value, before: beforeOf(place), after: afterOf(place) })),
        total: counted.length,
        before: Float64Array.from(some, beforeOf),
        after: Float64Array.from(some, afterOf),
      };
    },
    async countUpTo({ number: ofPosition, value }, order) {
      const ofPlace = numbersIn(order);
      const more = listed.filter((place) => ofPlace(place) > ofPosition).length;
      const equal = await name(listed.filter((place) => ofPlace(place) === ofPosition));
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
  order: ValueOrder,
): Promise<ValuePage> {
  const boundary = position === undefined ? 0 : await list.countUpTo(position, order);
  const { start, end } = spanOf(boundary, limit, position);
  const first = Math.max(0, start - 1);
  const found = await list.part(first, end, order);
  const rows = found.slice(start - first);
  return valuePage(rows, start > 0 ? found[0] : undefined, end < list.total, list.total, position, order);
}
