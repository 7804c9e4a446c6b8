import { engagementOf, type Totals } from '@hitherto/domain/visits';
import { sql } from 'kysely';
import type { TotalsName } from '../columns/totals.ts';
import type { NumberColumn } from '../summary-columns.ts';

/** The numbers that short lists need, and the others: they are stored separately. */
export const SHORT_COLUMNS = ['visitors', 'events'] as const;
export const OTHER_COLUMNS = [
  'visits',
  'pageviews',
  'bounces',
  'visits_with_pageviews',
  'duration',
  'measured',
  'seconds',
  'scroll',
  'measured_visits',
  'engaged_visits',
] as const;

/** All columns, as they are stored. */
export const STORED_COLUMNS: readonly NumberColumn[] = [...SHORT_COLUMNS, ...OTHER_COLUMNS];

type Packed = readonly ArrayLike<number>[];

/** Whole numbers, none of them below 0, from the narrowest to the widest. */
const FORMATS = [Uint8Array, Uint16Array, Uint32Array, Float64Array] as const;
const LIMITS = [2 ** 8, 2 ** 16, 2 ** 32, Number.POSITIVE_INFINITY] as const;

/** A column of zeros alone has no bytes. */
const ZEROS = 0;

/**
 * Columns of numbers: for each, how many bytes a number takes, then the numbers, in the byte order of the machine (little endian on
 * all that Node is made for, but one).
 */
export function pack(columns: Packed): Buffer {
  return Buffer.concat(columns.flatMap(packColumn));
}

function packColumn(column: ArrayLike<number>): Buffer[] {
  let largest = 0;
  for (let place = 0; place < column.length; place += 1) largest = Math.max(largest, column[place] ?? 0);
  if (largest === 0) return [Buffer.of(ZEROS)];
  const Narrowest = FORMATS[LIMITS.findIndex((limit) => largest < limit)] ?? Float64Array;
  return [Buffer.of(Narrowest.BYTES_PER_ELEMENT), Buffer.from(Narrowest.from(column).buffer)];
}

/**
 * Columns of the given number of numbers from `pack`.
 *
 * @param start where they begin
 */
export function unpack(bytes: Buffer, start: number, columns: number, size: number): Packed {
  const unpacked: ArrayLike<number>[] = [];
  for (let at = start; unpacked.length < columns; ) {
    const width = bytes[at] ?? ZEROS;
    const from = at + 1;
    at = from + width * size;
    if (width === ZEROS) {
      unpacked.push(new Uint8Array(size));
      continue;
    }
    const Format = FORMATS.find(({ BYTES_PER_ELEMENT }) => BYTES_PER_ELEMENT === width) ?? Float64Array;
    // A copy begins at a multiple of every size.
    unpacked.push(new Format(new Uint8Array(bytes.subarray(from, at)).buffer));
  }
  return unpacked;
}

/** The numbers of a kind of a day or month as they are stored. Values are sorted. */
export interface StoredNumbers {
  /** How many values there are. */
  readonly size: number;
  /** The key of each value (`valueKeys`), then `SHORT_COLUMNS`. */
  readonly keys: Buffer;
  /** `OTHER_COLUMNS`. */
  readonly rest: Buffer;
  /** The values as JSON. */
  readonly strings: string;
}

/** @param numbersOf the number of each value */
export function encodeNumbers(
  keys: Uint32Array,
  values: readonly (string | null)[],
  numbersOf: (column: NumberColumn) => ArrayLike<number>,
): StoredNumbers {
  const short = pack(SHORT_COLUMNS.map(numbersOf));
  return {
    size: values.length,
    keys: Buffer.concat([Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength), short]),
    rest: pack(OTHER_COLUMNS.map(numbersOf)),
    strings: JSON.stringify(values),
  };
}

const KEY_BYTES = 8;

export function decodeKeys(size: number, bytes: Buffer): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes.subarray(0, KEY_BYTES * size)).buffer);
}

/** The `SHORT_COLUMNS`. */
export function decodeShort(size: number, keys: Buffer): Packed {
  return unpack(keys, KEY_BYTES * size, SHORT_COLUMNS.length, size);
}

/**
 * The same in SQL: the visitors in a row of the kind `total`, which has one value, or none. No day has so many that they take more than four
 * bytes.
 */
export const VISITORS_OF_TOTAL = sql<number>`case when length(keys) > ${sql.lit(KEY_BYTES)} then case get_byte(keys, ${sql.lit(KEY_BYTES)})
  when 0 then 0
  when 1 then get_byte(keys, ${sql.lit(KEY_BYTES + 1)})
  when 2 then get_byte(keys, ${sql.lit(KEY_BYTES + 1)}) + 256 * get_byte(keys, ${sql.lit(KEY_BYTES + 2)})
  else get_byte(keys, ${sql.lit(KEY_BYTES + 1)}) + 256 * get_byte(keys, ${sql.lit(KEY_BYTES + 2)})
    + 65536 * get_byte(keys, ${sql.lit(KEY_BYTES + 3)}) + 16777216::bigint * get_byte(keys, ${sql.lit(KEY_BYTES + 4)})
end else 0 end`;

/** The `OTHER_COLUMNS`. */
export function decodeRest(size: number, rest: Buffer): Packed {
  return unpack(rest, 0, OTHER_COLUMNS.length, size);
}

export function decodeStrings(strings: string): readonly (string | null)[] {
  return JSON.parse(strings);
}

/** The place of a key among others, if it is there. */
export function placeOfKey(keys: Uint32Array, [low, high]: Uint32Array): number | undefined {
  for (let place = 0; 2 * place < keys.length; place += 1) {
    if (keys[2 * place] === low && keys[2 * place + 1] === high) return place;
  }
  return undefined;
}

/** The numbers of the values of a row, by their places. */
export function totalsOf({
  size,
  keys,
  rest,
}: Pick<StoredNumbers, 'size' | 'keys' | 'rest'>): (place: number) => Totals {
  const lists = [...decodeShort(size, keys), ...decodeRest(size, rest)];
  return (place) => totalsBy((column) => lists[STORED_COLUMNS.indexOf(column)]?.[place] ?? 0);
}

/** Totals of numbers by column. */
export function totalsBy(number: (column: NumberColumn) => number): Totals {
  return {
    visitors: number('visitors'),
    visits: number('visits'),
    pageviews: number('pageviews'),
    events: number('events'),
    bounces: number('bounces'),
    visitsWithPageviews: number('visits_with_pageviews'),
    duration: number('duration'),
    ...engagementOf((name) => number(columnOfTotals(name))),
  };
}

/** The column of a number of totals. */
export function columnOfTotals(name: TotalsName): NumberColumn {
  switch (name) {
    case 'visitsWithPageviews':
      return 'visits_with_pageviews';
    case 'measuredVisits':
      return 'measured_visits';
    case 'engagedVisits':
      return 'engaged_visits';
    default:
      return name;
  }
}

/** Numbers of totals by column. */
export function byColumn<Numbers>(numbers: Readonly<Record<TotalsName, Numbers>>): Record<NumberColumn, Numbers> {
  const columns = Object.entries(numbers).map(([name, list]) => [columnOfTotals(name as TotalsName), list]);
  return Object.fromEntries(columns) as Record<NumberColumn, Numbers>;
}
