import type { Readable } from 'node:stream';
import { InvalidFile } from '@hitherto/domain';
import Papa from 'papaparse';
import { decoded, MAX_LINE_LENGTH } from './lines.ts';

/** A row of a CSV file. */
export interface CsvRow {
  /** The line on which it ends, counted from 1. */
  readonly line: number;
  /** By the names of the header; a column that the row lacks is absent. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * The rows of a CSV file, whose first line names the columns, as many at a time as were read at once.
 *
 * @param name of the file, for errors
 * @throws InvalidFile naming line and column where it is not a CSV
 */
export async function* csvRows(bytes: Readable, name: string): AsyncGenerator<readonly CsvRow[]> {
  let columns: readonly string[] | undefined;
  let whole: CsvRow['fields'] = {};
  let line = 0;
  const rowsOf = (records: readonly CsvRecord[]) => {
    const rows: CsvRow[] = [];
    for (const record of records) {
      line += linesOf(record);
      const fault = faultOf(record);
      if (fault !== undefined) throw invalidCsv(name, line, fault, columns);
      const values = valuesOf(record);
      if (columns === undefined) {
        columns = values.map((column) => column.trim());
        whole = wholeRow(columns);
      } else if (values.length > 1 || values[0] !== '') {
        const begun = values.length < columns.length ? {} : whole;
        rows.push({ line, fields: fieldsOf(begun, columns, values) });
      }
    }
    return rows;
  };

  let text = '';
  let rest = 0;
  for await (const piece of decoded(bytes)) {
    text += piece;
    // So that a long row is not parsed again with each of its pieces.
    if (text.length < 2 * rest) continue;
    const records = parse(text);
    const last = records.pop();
    yield rowsOf(records);
    text = last?.text ?? '';
    rest = text.length;
    if (last !== undefined && rest > MAX_LINE_LENGTH) rowsOf([last]);
  }
  yield rowsOf(parse(text));
}

/** A row as the parser has read it. */
interface CsvRecord {
  /** As it is in the file, with its line break. */
  readonly text: string;
  readonly values: readonly string[];
  /** The first value that the parser cannot read, by its place in the text. */
  readonly fault: { readonly reason: string; readonly at: number } | undefined;
}

/** The rows of a text, of which the last one has no line break, and may be empty. */
function parse(whole: string): CsvRecord[] {
  // The parser leaves out a byte order mark, and counts from behind it.
  const text = whole.replace(/^\u{feff}/u, '');
  const records: CsvRecord[] = [];
  let start = 0;
  Papa.parse<string[]>(text, {
    ...FORMAT,
    step({ data: values, errors: [error], meta: { cursor } }) {
      const fault = error && { reason: REASONS[error.code] ?? error.code, at: (error.index ?? start) - start };
      records.push({ text: text.slice(start, cursor), values, fault });
      start = cursor;
    },
  });
  return records;
}

/** A carriage return before the line feed is removed from the last value. */
const FORMAT = { delimiter: ',', newline: '\n' } as const;

const REASONS: Readonly<Record<string, string>> = {
  MissingQuotes: 'a quote is never closed',
  InvalidQuotes: 'a value goes on after its closing quote',
};

function linesOf({ text }: CsvRecord): number {
  let lines = 1;
  const last = text.length - 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < last; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function valuesOf({ text, values }: CsvRecord): readonly string[] {
  return text.endsWith('\r\n') ? values.with(-1, values.at(-1)?.replace(/\r$/, '') ?? '') : values;
}

/** Why a row is not a CSV, and the number of the column, from 0. */
interface Fault {
  readonly reason: string;
  readonly column: number;
}

function faultOf({ text, values, fault }: CsvRecord): Fault | undefined {
  if (fault !== undefined) return { reason: fault.reason, column: valuesIn(text.slice(0, fault.at - 1)) };
  if (text.length > MAX_LINE_LENGTH) {
    const longest = values.reduce((most, { length }) => Math.max(most, length), 0);
    return { reason: 'a row is longer than 1 MiB', column: values.findIndex(({ length }) => length === longest) };
  }
  const column = text.includes('"') ? strayQuote(text, values) : -1;
  return column === -1 ? undefined : { reason: 'a value has a quote, but none around it', column };
}

/** How many values end in the beginning of a row. */
function valuesIn(text: string): number {
  return (Papa.parse<string[]>(text, FORMAT).data.at(-1)?.length ?? 1) - 1;
}

/** The first value with a quote that is not in quotes itself, which the parser reads as it is; -1 if there is none. */
function strayQuote(text: string, values: readonly string[]): number {
  let end = 0;
  return values.findIndex((value) => {
    if (!value.includes('"')) return false;
    const quoted = `"${value.replaceAll('"', '""')}"`;
    const start = text.indexOf(quoted, end);
    end = start + quoted.length;
    return start === -1;
  });
}

/** A row with all columns. V8 gives what it parses its final size, so a copy takes a fifth of the memory of an object that grows. */
function wholeRow(columns: readonly string[]): CsvRow['fields'] {
  return JSON.parse(JSON.stringify(Object.fromEntries(columns.map((column) => [column, '']))));
}

/** @param begun is copied, and filled */
function fieldsOf(begun: CsvRow['fields'], columns: readonly string[], values: readonly string[]): CsvRow['fields'] {
  const fields: Record<string, string> = { ...begun };
  for (let index = 0; index < columns.length; index += 1) {
    const [column, field] = [columns[index], values[index]];
    if (column !== undefined && field !== undefined) fields[column] = field;
  }
  return fields;
}

function invalidCsv(
  name: string,
  line: number,
  { reason, column }: Fault,
  columns: readonly string[] = [],
): InvalidFile {
  return new InvalidFile(`${name}, line ${line}, column ${columns[column] ?? column + 1}, is not CSV: ${reason}.`);
}

/** The columns that a first line names; none if it is not a CSV. */
export function headerOf(line: string): readonly string[] {
  const [record] = parse(line);
  if (record === undefined || faultOf(record) !== undefined) return [];
  return record.values.map((column) => column.trim());
}
