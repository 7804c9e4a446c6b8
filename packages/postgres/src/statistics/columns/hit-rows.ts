import { addDays, type Day, daysBetween } from '@hitherto/domain/calendar';
import { FIRST_HIT_DIMENSIONS, type FirstHitDimension } from '@hitherto/domain/hits';
import { measureCode } from '@hitherto/domain/visits';
import type { ByteTable } from './byte-table.ts';

/** Dimensions that go together: hits have few combinations of their values. */
const GROUP_OF: Readonly<Record<FirstHitDimension, number>> = {
  channel: 0,
  source: 0,
  referrer: 0,
  utm_source: 0,
  utm_medium: 0,
  utm_campaign: 0,
  utm_content: 0,
  utm_term: 0,
  country: 1,
  language: 1,
  network: 1,
  browser: 2,
  os: 2,
  device: 2,
  host: 3,
};

/** The dimensions of each group. */
export const GROUPS: readonly (readonly FirstHitDimension[])[] = [0, 1, 2, 3].map((group) =>
  FIRST_HIT_DIMENSIONS.filter((dimension) => GROUP_OF[dimension] === group),
);

/** The places of the fields of a row. */
export const FIELDS = {
  websiteNumber: 0,
  day: 1,
  visitor: 2,
  time: 3,
  page: 4,
  name: 5,
  props: 6,
  view: 7,
  seconds: 8,
  scroll: 9,
} as const;
const FIRST_OF_GROUPS = 10;
const FIELD_COUNT = FIRST_OF_GROUPS + FIRST_HIT_DIMENSIONS.length;

/** The first and the last field of each group. */
export const FIELDS_OF_GROUPS: readonly (readonly [first: number, last: number])[] = GROUPS.map((group, place) => {
  const first = FIRST_OF_GROUPS + GROUPS.slice(0, place).flat().length;
  return [first, first + group.length - 1];
});

/** The columns of `hit` that a row has, in the order of its fields. */
export const NAMES = [
  ...(['website_number', 'day', 'visitor', 'time', 'page', 'name', 'props', 'view', 'seconds', 'scroll'] as const),
  ...GROUPS.flat(),
];
/** A row in PostgreSQL's binary format of COPY. */
export interface HitRow {
  readonly bytes: Buffer;
  /** The same bytes. */
  readonly numbers: DataView;
  /** Where each field begins and ends; a field without a value ends before it begins. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** The bytes before the first row. */
export const HEADER_BYTES = 19;
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

/**
 * Calls `onRow` with each whole row. Returns where the next one begins.
 *
 * @param onRow is called with each row, which changes afterwards
 */
export function eachRow(bytes: Buffer, start: number, onRow: (row: HitRow) => void): number {
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const row = { bytes, numbers, starts: new Int32Array(FIELD_COUNT), ends: new Int32Array(FIELD_COUNT) };
  let at = start;
  for (let end = endOfRow(row, at); end > 0; end = endOfRow(row, at)) {
    onRow(row);
    at = end;
  }
  return at;
}

/** Finds the fields of the row that begins at a place. Returns where it ends; 0 if it is not whole, or the end of all rows. */
function endOfRow({ numbers, starts, ends }: HitRow, start: number): number {
  const last = numbers.byteLength;
  let at = start + COUNT_BYTES;
  for (let field = 0; field < FIELD_COUNT; field += 1) {
    if (at + LENGTH_BYTES > last) return 0;
    const length = numbers.getInt32(at);
    at += LENGTH_BYTES;
    starts[field] = at;
    ends[field] = at + length;
    if (length > 0) at += length;
  }
  return at > last ? 0 : at;
}

/** The place of fields next to each other, with their lengths: equal fields have equal bytes. */
export function placeIn(table: ByteTable, { numbers, starts, ends }: HitRow, first: number, last: number): number {
  const start = (starts[first] ?? 0) - LENGTH_BYTES;
  return table.placeOf(numbers, start, Math.max(ends[last] ?? 0, starts[last] ?? 0));
}

/** Whether a field has no value. */
export function isNull({ starts, ends }: HitRow, field: number): boolean {
  return (ends[field] ?? 0) < (starts[field] ?? 0);
}

/** The string of a field. */
export function textOf(row: HitRow, field: number): string | null {
  if (isNull(row, field)) return null;
  return row.bytes.toString('utf8', row.starts[field] ?? 0, row.ends[field] ?? 0);
}

/** The strings of fields next to each other. */
export function textsOf(row: HitRow, first: number, last: number): readonly (string | null)[] {
  return Array.from({ length: last - first + 1 }, (_, field) => textOf(row, first + field));
}

/** A JSON value in PostgreSQL's format, which begins with its version. */
export function jsonOf<Value>(row: HitRow, field: number): Value | null {
  if (isNull(row, field)) return null;
  return JSON.parse(row.bytes.toString('utf8', (row.starts[field] ?? 0) + 1, row.ends[field] ?? 0));
}

/** The day from which PostgreSQL counts, and the instant, in milliseconds. */
const FIRST_DAY = '2000-01-01';
const FIRST_TIME = Date.parse(FIRST_DAY);
const HIGH = 2 ** 32;
const MICROSECONDS = 1_000;

/** A number for the row's website and day. It is exact for a billion websites. */
export function keyOfRow({ numbers, starts }: HitRow): number {
  return largeNumberAt(numbers, starts[FIELDS.websiteNumber] ?? 0) * DAYS + numbers.getInt32(starts[FIELDS.day] ?? 0);
}

/** The same for a website and day. */
export function keyOfDay(websiteNumber: string, day: Day): number {
  return Number(websiteNumber) * DAYS + daysBetween(FIRST_DAY, day) - 1;
}

/** Between the first and the last day of four digits, there are fewer. */
const DAYS = 2 ** 23;

export function dayOf({ numbers, starts }: HitRow): Day {
  return addDays(FIRST_DAY, numbers.getInt32(starts[FIELDS.day] ?? 0));
}

/** A bigint, as the driver writes it. */
export function websiteNumberOf({ numbers, starts }: HitRow): string {
  return numbers.getBigInt64(starts[FIELDS.websiteNumber] ?? 0).toString();
}

/** In milliseconds. */
export function timeOf({ numbers, starts }: HitRow): number {
  return FIRST_TIME + Math.round(largeNumberAt(numbers, starts[FIELDS.time] ?? 0) / MICROSECONDS);
}

/** It is exact for 53 bits. */
function largeNumberAt(numbers: DataView, at: number): number {
  return numbers.getInt32(at) * HIGH + numbers.getUint32(at + 4);
}

/** The number of a pageview; 0 without one. */
export function viewOf(row: HitRow): number {
  return isNull(row, FIELDS.view) ? 0 : row.numbers.getUint32(row.starts[FIELDS.view] ?? 0);
}

/** The code of a measure (`measureCode` in the domain); 0 of a hit. */
export function measureOf(row: HitRow): number {
  if (isNull(row, FIELDS.seconds)) return 0;
  const [seconds, scroll] = [row.starts[FIELDS.seconds] ?? 0, row.starts[FIELDS.scroll] ?? 0];
  return measureCode({ seconds: row.numbers.getInt16(seconds), scroll: row.numbers.getInt16(scroll) });
}
