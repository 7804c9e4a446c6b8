import { type Day, startOfMonth } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import { readBinaryRows } from '../../connection/binary-rows.ts';
import { toCopy } from '../../connection/copy-text.ts';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { CODES, KINDS, type Kind } from '../summary-columns.ts';
import { tableOfDays, type WebsiteDay } from '../website-days.ts';
import {
  decodeKeys,
  decodeRest,
  decodeShort,
  decodeStrings,
  encodeNumbers,
  STORED_COLUMNS,
  type StoredNumbers,
} from './stored-numbers.ts';
import { createSums } from './sums.ts';

/** A day, or a month by its first day. */
export interface Span {
  readonly day: Day;
  readonly isMonth: boolean;
}

/** Whose numbers a row of `day_numbers` has. */
export interface NumbersKey extends WebsiteDay, Span {
  readonly kind: Kind;
}

export type StoredRow = NumbersKey & StoredNumbers;

const KEY_COLUMNS = ['website_number', 'is_month', 'day', 'kind'] as const;
const NUMBERS_ROW_COLUMNS = [...KEY_COLUMNS, 'size', 'keys', 'rest', 'strings'] as const;

const KINDS_BY_CODE = new Map(KINDS.map((kind) => [CODES[kind], kind]));

/** Inserts rows. */
export async function insertNumbers(transaction: Transaction, rows: Iterable<StoredRow>): Promise<void> {
  await transaction.copy(`copy day_numbers (${NUMBERS_ROW_COLUMNS.join(', ')}) from stdin`, textsOf(rows));
}

function* textsOf(rows: Iterable<StoredRow>): Generator<string> {
  for (const { websiteNumber, isMonth, day, kind, size, keys, rest, strings } of rows) {
    const key = `${websiteNumber}\t${isMonth}\t${day}\t${CODES[kind]}`;
    const bytes = `\\\\x${keys.toString('hex')}\t\\\\x${rest.toString('hex')}`;
    yield `${key}\t${size}\t${bytes}\t${toCopy(strings)}\n`;
  }
}

/** Which rows of a website are read. */
export interface NumbersToRead {
  readonly isMonth: boolean;
  readonly days: readonly Day[];
  readonly kinds: readonly Kind[];
}

/** The stored numbers of these kinds that a query is read from: of months where there are, else of days. */
export function spansToRead(
  { months, counted }: { readonly months: readonly Day[]; readonly counted: readonly Day[] },
  kinds: readonly Kind[],
): readonly NumbersToRead[] {
  const summed = new Set(months);
  const days = counted.filter((day) => !summed.has(startOfMonth(day)));
  return [
    { isMonth: true, days: months, kinds },
    { isMonth: false, days, kinds },
  ];
}

/** A row of which some columns were read; others are empty. */
export type ReadNumbers = Omit<StoredRow, 'websiteNumber'>;

type ByteColumn = 'keys' | 'rest' | 'strings';

/** Reads numbers of days and months: whole rows, or only these columns. */
export async function readNumbers(
  transaction: Transaction,
  websiteNumber: string,
  parts: readonly NumbersToRead[],
  columns: readonly ByteColumn[] = ['keys', 'rest', 'strings'],
): Promise<readonly ReadNumbers[]> {
  const wanted = parts.filter(({ days, kinds }) => days.length > 0 && kinds.length > 0);
  if (wanted.length === 0) return [];
  const selects = wanted.map(
    ({ isMonth, days, kinds }) => sql`
      select is_month, day::text, kind, size, ${columnsOf(columns)} from day_numbers
      where website_number = ${sql.lit(websiteNumber)} and is_month = ${sql.lit(isMonth)}
        and day = any(${list(days)}::date[]) and kind = any(${list(kinds.map((kind) => CODES[kind]))}::smallint[])`,
  );
  const rows = await readBinaryRows(transaction, sql.join(selects, sql` union all `));
  return rows.flatMap(([isMonth, day, code, size, ...bytes]) => {
    // None if a later version knows the kind, and this one does not.
    const kind = KINDS_BY_CODE.get(code?.readInt16BE() ?? -1);
    if (kind === undefined) return [];
    const of = (name: ByteColumn) => bytes[columns.indexOf(name)] ?? Buffer.of();
    return {
      isMonth: isMonth?.[0] === 1,
      day: day?.toString() ?? '',
      kind,
      size: size?.readInt32BE() ?? 0,
      keys: of('keys'),
      rest: of('rest'),
      strings: of('strings').toString(),
    };
  });
}

/** Numbers as JSON has them. */
export interface HexNumbers {
  readonly keys: string;
  readonly rest: string;
}

/** The numbers of a row of the kind `total`, as {@link HexNumbers}. */
export const HEX_NUMBERS = sql`json_build_object('keys', encode(keys, 'hex'), 'rest', encode(rest, 'hex'))`;

export function ofHex({ keys, rest }: HexNumbers): Pick<StoredNumbers, 'size' | 'keys' | 'rest'> {
  return { size: 1, keys: Buffer.from(keys, 'hex'), rest: Buffer.from(rest, 'hex') };
}

/** The condition on rows of `website_day` that the day has numbers of all kinds: each of its hits has an hour. */
export const HAS_LISTS = sql`exists (
  select from day_numbers hours
  where hours.website_number = website_day.website_number and not hours.is_month and hours.day = website_day.day
    and hours.kind = ${sql.lit(CODES.hour)}
)`;

/** An array as a literal: a COPY has no parameters. */
function list(values: readonly (string | number)[]): RawBuilder<unknown> {
  return sql.lit(`{${values.join()}}`);
}

/** The sums of numbers of one kind. */
export function addUpNumbers(rows: readonly StoredNumbers[]): StoredNumbers {
  const [first, ...others] = rows;
  if (first !== undefined && others.length === 0) return first;
  const sums = createSums(STORED_COLUMNS.length);
  const keys = rows.map((row) => decodeKeys(row.size, row.keys));
  rows.forEach(({ size, keys: short, rest }, source) => {
    sums.add(keys[source] ?? new Uint32Array(), [...decodeShort(size, short), ...decodeRest(size, rest)], source);
  });
  const strings = rows.map((row) => decodeStrings(row.strings));
  const origins = Array.from({ length: sums.size() }, (_, place) => sums.origin(place));
  const keysOfSums = new Uint32Array(2 * origins.length);
  origins.forEach(({ source, place }, sum) => {
    keysOfSums.set(keys[source]?.subarray(2 * place, 2 * place + 2) ?? [], 2 * sum);
  });
  return encodeNumbers(
    keysOfSums,
    origins.map(({ source, place }) => strings[source]?.[place] ?? null),
    (column) => Float64Array.from(origins, (_, place) => sums.number(place, STORED_COLUMNS.indexOf(column))),
  );
}

/** Deletes the numbers of these days and of their months. The caller holds the lock under which they change. */
export async function deleteNumbers(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(
    once(sql`
      delete from day_numbers using (
        select website_number, false as is_month, day from ${tableOfDays(days)}
        union select website_number, true, date_trunc('month', day)::date from ${tableOfDays(days)}
      ) chosen
      where day_numbers.website_number = chosen.website_number and day_numbers.is_month = chosen.is_month
        and day_numbers.day = chosen.day`),
  );
}
