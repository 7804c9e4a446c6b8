import { pipeline, Readable } from 'node:stream';
import { InvalidFile } from '@hitherto/domain';
import { CsvError, parse } from 'csv-parse';
import { parse as parseText } from 'csv-parse/sync';
import { inUtf8, MAX_LINE_LENGTH } from './lines.ts';

/** A row of a CSV file. */
export interface CsvRow {
  /** The line on which it ends, counted from 1. */
  readonly line: number;
  /** By the names of the header; a column that the row lacks is absent. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Rows that are passed on together: a turn of the event loop for each would cost more than the row. */
const ROWS_AT_ONCE = 500;

/**
 * The rows of a CSV file, whose first line names the columns, some at a time.
 *
 * @param name of the file, for errors
 * @throws InvalidFile naming line and column where it is no CSV
 */
export async function* csvRows(bytes: Readable, name: string): AsyncGenerator<readonly CsvRow[]> {
  let columns: readonly string[] | undefined;
  const parser = parse({
    bom: true,
    max_record_size: MAX_LINE_LENGTH,
    // The parser would take as long to make objects as for all the rest, so it makes arrays, to which the line is added.
    on_record(record, { lines }) {
      if (columns !== undefined) return [...record, String(lines)];
      columns = record.map((column) => column.trim());
      return null;
    },
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // An error of the file reaches the loop through the parser.
  pipeline(Readable.from(inUtf8(bytes)), parser, () => {});
  let rows: CsvRow[] = [];
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      const line = Number(record.pop());
      if (rows.push({ line, fields: fieldsOf(columns ?? [], record) }) < ROWS_AT_ONCE) continue;
      yield rows;
      rows = [];
    }
  } catch (error) {
    throw error instanceof CsvError ? invalidCsv(name, error, columns) : error;
  } finally {
    bytes.destroy();
  }
  yield rows;
}

function fieldsOf(columns: readonly string[], record: readonly string[]): CsvRow['fields'] {
  const fields: Record<string, string> = {};
  for (let index = 0; index < columns.length; index += 1) {
    const [column, field] = [columns[index], record[index]];
    if (column !== undefined && field !== undefined) fields[column] = field;
  }
  return fields;
}

function invalidCsv(name: string, error: CsvError, columns: readonly string[] = []): InvalidFile {
  // The number of the column, from 0.
  const { lines, column } = error as CsvError & { readonly lines?: number; readonly column?: number };
  const known = column === undefined ? undefined : (columns[column] ?? column);
  const place = `line ${lines ?? 1}${known === undefined ? '' : `, column ${known}`}`;
  return new InvalidFile(`${name}, ${place}, is not CSV: ${error.code}.`, { cause: error });
}

/** The columns that a first line names; none if it is no CSV. */
export function headerOf(line: string): readonly string[] {
  try {
    const [header = []]: string[][] = parseText(line, { relax_column_count: true });
    return header.map((column) => column.trim());
  } catch (error) {
    if (error instanceof CsvError) return [];
    throw error;
  }
}
