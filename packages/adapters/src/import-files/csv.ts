import type { Readable } from 'node:stream';
import { InvalidFile } from '@hitherto/domain';
import { CsvError, parse } from 'csv-parse';
import { parse as parseText } from 'csv-parse/sync';

/** A row of a CSV file. */
export interface CsvRow {
  /** The line on which it ends, counted from 1. */
  readonly line: number;
  /** By the names of the header; a column that the row lacks is absent. */
  readonly fields: Readonly<Record<string, string>>;
}

/** No row of an export is larger; the limit bounds memory. */
const MAX_ROW_BYTES = 1 << 20;

/**
 * The rows of a CSV file in UTF-8, whose first line names the columns.
 *
 * @param name of the file, for errors
 * @throws InvalidFile naming line and column where it is no CSV
 */
export async function* csvRows(bytes: Readable, name: string): AsyncGenerator<CsvRow> {
  const parser = parse({
    bom: true,
    columns: (header: readonly string[]) => header.map((column) => column.trim()),
    info: true,
    max_record_size: MAX_ROW_BYTES,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  bytes.on('error', (error) => parser.destroy(error));
  bytes.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
      yield { line: info.lines, fields: record };
    }
  } catch (error) {
    throw error instanceof CsvError ? invalidCsv(name, error) : error;
  } finally {
    bytes.destroy();
  }
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
