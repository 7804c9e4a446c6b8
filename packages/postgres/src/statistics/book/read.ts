import { groupBy } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import { readBinaryRows } from '../../connection/binary-rows.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { KnownParts } from '../columns/known-parts.ts';
import type { Part, PartVisits } from '../columns/part.ts';
import { CODES, codesOf } from '../columns/stored-columns.ts';
import type { ColumnName } from '../columns/visit-columns.ts';

/** The origin of collected hits; that of others is the number of their import. */
export const COLLECTED = '0';

/** A day whose hits are all in the book, and all of one origin. */
export interface BookedDay {
  readonly day: Day;
  readonly hits: number;
  readonly origin: string;
  /** While it is the same, the hits are. */
  readonly version: string;
}

/** Days of a website that are read from the book. */
export interface BookedDays {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly days: readonly BookedDay[];
  /** The rules by which pages are shown. */
  readonly pageRules: readonly string[];
}

/** A part, whose it is, and its number among those of its day and origin. */
export interface StoredPart extends Part {
  readonly websiteNumber: string;
  readonly origin: string;
  readonly part: number;
}

/** About how many hits are read at once, of several days. */
const MAX_HITS = 60_000;

/** Days with more hits together are not cached: they would take the place of all others. */
const MAX_CACHED_HITS = 6_000_000;

/**
 * Yields the visits of days from the book, part by part, with the pages that are stored. Days are requested while those before are being counted. Each time it is a
 * separate statement, so that none runs for as long as the counting.
 */
export async function* readColumns(
  transaction: Transaction,
  { websiteNumber, days, pageRules }: BookedDays,
  names: readonly ColumnName[],
  known: KnownParts,
): AsyncIterable<PartVisits> {
  const isShown = pageRules.length > 0 && names.includes('hits');
  const codes = codesOf(isShown ? [...names, 'page_values'] : names);
  const isCached = days.reduce((sum, { hits }) => sum + hits, 0) <= MAX_CACHED_HITS;
  const keyOf = ({ day, origin, version }: BookedDay) => `${websiteNumber} ${day} ${origin} ${version}`;
  const read = async (list: readonly BookedDay[]) => {
    const found = list.map((day) => ({ ...day, key: keyOf(day), parts: known.of(keyOf(day)) }));
    const missing = codes.filter((code) => found.some(({ parts }) => !parts.has(code)));
    const left = found.filter(({ parts }) => missing.some((code) => !parts.has(code)));
    if (left.length > 0) {
      const rows = sql`
        book where website_number = ${sql.lit(websiteNumber)} and day = any(${datesOf(left)})
          and import_number = ${sql.lit(left[0]?.origin ?? COLLECTED)}`;
      // Every part has its pageviews, so each is found.
      const byDay = groupBy(await readParts(transaction, rows, [CODES.pageviews, ...missing]), ({ day }) => day);
      for (const { day, parts } of left) parts.add(byDay.get(day) ?? [], missing);
    }
    return found;
  };
  const [first, ...others] = [...listsOf(days)];
  if (first === undefined) return;
  let next = read(first);
  for (const list of [...others, undefined]) {
    const found = await next;
    if (list !== undefined) next = read(list);
    // A failure is thrown where the days are awaited, if the counting does not fail first.
    next.catch(() => {});
    for (const { key, parts } of found) {
      yield* parts.visits();
      // What was decoded takes memory, too.
      if (isCached) known.cache(key, parts);
    }
  }
}

/** Days next to each other, so that a statement has enough to do. */
function* listsOf(days: readonly BookedDay[]): Generator<readonly BookedDay[]> {
  let list: BookedDay[] = [];
  let hits = 0;
  for (const day of days) {
    if (list.length > 0 && (hits + day.hits > MAX_HITS || list[0]?.origin !== day.origin)) {
      yield list;
      [list, hits] = [[], 0];
    }
    list.push(day);
    hits += day.hits;
  }
  if (list.length > 0) yield list;
}

/** Days as an array without parameters. */
export function datesOf(days: readonly { readonly day: Day }[]): RawBuilder<unknown> {
  return sql`${sql.lit(`{${days.map(({ day }) => day).join()}}`)}::date[]`;
}

/**
 * Reads parts, in order of their days.
 *
 * @param rows of `book`, with a condition, without parameters
 * @param codes the columns to read; all by default
 */
export async function readParts(
  transaction: Transaction,
  rows: RawBuilder<unknown>,
  codes?: readonly number[],
): Promise<readonly StoredPart[]> {
  const isRead =
    codes === undefined ? sql`true` : sql`code = any(${sql.lit(`{${[CODES.all, ...codes].join()}}`)}::smallint[])`;
  const found = await readBinaryRows(
    transaction,
    sql`
      select website_number, day::text, import_number, part, hits, visits, first_time, last_time, code, bytes
      from ${rows} and ${isRead} order by website_number, book.day, import_number, part`,
  );
  const parts: (StoredPart & { readonly columns: Map<number, Buffer> })[] = [];
  let last = '';
  for (const [website, day, origin, part, hits, visits, firstTime, lastTime, column, bytes] of found) {
    const key = `${website?.readBigInt64BE()} ${day} ${origin?.readBigInt64BE()} ${part?.readInt32BE()}`;
    if (key !== last) {
      parts.push({
        websiteNumber: String(website?.readBigInt64BE()),
        day: String(day),
        origin: String(origin?.readBigInt64BE()),
        hits: hits?.readInt32BE() ?? 0,
        visits: visits?.readInt32BE() ?? 0,
        firstTime: firstTime?.readDoubleBE() ?? 0,
        lastTime: lastTime?.readDoubleBE() ?? 0,
        part: part?.readInt32BE() ?? 0,
        columns: new Map(),
      });
      last = key;
    }
    if (column && bytes) parts.at(-1)?.columns.set(column.readInt16BE(), bytes);
  }
  return parts;
}
