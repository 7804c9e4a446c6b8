import { pipeline, Readable } from 'node:stream';
import { InvalidFile } from '@hitherto/domain';
import { CsvError, parse } from 'csv-parse';
import { parse as parseText } from 'csv-parse/sync';
import { decoded, MAX_LINE_LENGTH } from './lines.ts';

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
  const parser = parse({
    bom: true,
    columns: (header: readonly string[]) => header.map((column) => column.trim()),
    info: true,
    max_record_size: MAX_LINE_LENGTH,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // An error of the file reaches the loop through the parser.
  pipeline(Readable.from(decoded(bytes)), parser, () => {});
  let rows: CsvRow[] = [];
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
      if (rows.push({ line: info.lines, fields: record }) < ROWS_AT_ONCE) continue;
      yield rows;
      rows = [];
    }
  } catch (error) {
    throw error instanceof CsvError ? invalidCsv(name, error) : error;
  } finally {
    bytes.destroy();
  }
  yield rows;
}

interface ParsedRow {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

function invalidCsv(name: string, error: CsvError): InvalidFile {
  const { lines, column } = error as CsvError & { readonly lines?: number; readonly column?: number | string };
  const place = column === undefined ? `line ${lines ?? 1}` : `line ${lines ?? 1}, column ${column}`;
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
