import type { Readable } from 'node:stream';
import { InvalidFile, type StoredText, storedText } from '@hitherto/domain/files';
import { type CsvRecord, parseCsv } from './csv-records.ts';
import { cutValue, decoded, MAX_LINE_LENGTH } from './lines.ts';

/** A row of a CSV file. */
export interface CsvRow {
  /** The line on which it ends, counted from 1. */
  readonly line: number;
  /** By the names of the header; a column that the row lacks is absent. */
  readonly fields: Readonly<Record<string, string>>;
}

/** No table of an export has more columns. */
const MAX_COLUMNS = 1_000;

/**
 * The rows of a CSV file, whose first line names the columns, in pieces as they are read. Very long values are cut.
 *
 * @param name of the file, for errors
 * @throws InvalidFile naming line and column where it is not a CSV, or has too many columns
 */
export async function* csvRows(
  bytes: Readable,
  name: string | StoredText,
  maxColumns = MAX_COLUMNS,
): AsyncGenerator<readonly CsvRow[]> {
  let columns: readonly string[] | undefined;
  let whole: CsvRow['fields'] = {};
  let line = 0;
  const rowsOf = (records: readonly CsvRecord[]) => {
    const rows: CsvRow[] = [];
    for (const record of records) {
      line += record.lines;
      const fault = faultOf(record);
      if (fault !== undefined) throw invalidCsv(name, line, fault, columns);
      const { values } = record;
      if (columns === undefined) {
        if (values.length > maxColumns) throw tooWide(name, maxColumns);
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
    const { records, end } = parseCsv(text, false);
    yield rowsOf(records);
    text = text.slice(end);
    rest = text.length;
    if (rest > MAX_LINE_LENGTH) rowsOf(parseCsv(text, true).records);
  }
  yield rowsOf(parseCsv(text, true).records);
}

/** Why a row is not a CSV, and the number of the column, from 0. */
function faultOf({ values, length, fault }: CsvRecord): CsvRecord['fault'] {
  if (fault !== undefined || length <= MAX_LINE_LENGTH) return fault;
  const longest = values.reduce((most, value) => Math.max(most, value.length), 0);
  return { reason: 'longRow', column: values.findIndex((value) => value.length === longest) };
}

/** A row with all columns. V8 gives what it parses its final size, so a copy takes a fifth of the memory of an object that grows. */
function wholeRow(columns: readonly string[]): CsvRow['fields'] {
  return JSON.parse(JSON.stringify(Object.fromEntries(columns.map((column) => [column, '']))));
}

/** @param begun is copied, and filled */
function fieldsOf(begun: CsvRow['fields'], columns: readonly string[], values: readonly string[]): CsvRow['fields'] {
  const fields: Record<string, string> = { ...begun };
  // A row may be much shorter than the header.
  const length = Math.min(columns.length, values.length);
  for (let index = 0; index < length; index += 1) {
    const [column, value] = [columns[index], values[index]];
    if (column !== undefined && value !== undefined) fields[column] = cutValue(value);
  }
  return fields;
}

/** How much of the name of a column an error shows. */
const MAX_SHOWN = 40;

function invalidCsv(
  name: string | StoredText,
  line: number,
  { reason, column }: NonNullable<CsvRecord['fault']>,
  columns: readonly string[] = [],
): InvalidFile {
  const shown = columns[column]?.slice(0, MAX_SHOWN) ?? String(column + 1);
  return new InvalidFile(storedText('notCsv', name, line, shown, storedText(reason)));
}

function tooWide(name: string | StoredText, most: number): InvalidFile {
  return new InvalidFile(storedText('manyColumns', name, most));
}

/** The columns that a first line names; none if it is not a CSV. */
export function headerOf(line: string): readonly string[] {
  const [record] = parseCsv(line, true).records;
  if (record === undefined || faultOf(record) !== undefined) return [];
  return record.values.map((column) => column.trim());
}
