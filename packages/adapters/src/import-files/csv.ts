import type { Readable } from 'node:stream';
import { InvalidFile } from '@hitherto/domain';
import { type Line, linesOf, MAX_LINE_LENGTH } from './lines.ts';

// CSV as in RFC 4180. Splitting whole lines takes a seventh of the time of csv-parse, which looks at each byte by itself.

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
 * @throws InvalidFile naming line and column where it is no CSV
 */
export async function* csvRows(bytes: Readable, name: string): AsyncGenerator<Iterable<CsvRow>> {
  const reader = createRowReader(name);
  for await (const lines of linesOf(bytes)) yield reader.rows(lines);
  reader.end();
}

/** The columns that a first line names; none if it is no CSV. */
export function headerOf(line: string): readonly string[] {
  const fields = fieldsOf(line);
  return 'fault' in fields ? [] : fields.map((column) => column.trim());
}

function createRowReader(name: string) {
  let columns: readonly string[] | undefined;
  /** The lines of a row that goes on, because a quote is open. */
  let open: Line[] = [];
  let length = 0;

  /** The values of the row in these lines. Throws if it is no CSV, also if one of its quotes is still open. */
  const valuesOf = (lines: readonly Line[]) => {
    const text = lines.length === 1 ? (lines[0]?.text ?? '') : lines.map((line) => line.text).join('\n');
    const values = fieldsOf(text.endsWith('\r') ? text.slice(0, -1) : text);
    if (!('fault' in values)) return values;
    const { fault, column } = values;
    const place = `line ${lines[0]?.number}, column ${columns?.[column] ?? column + 1}`;
    throw new InvalidFile(`${name}, ${place}, is not CSV: ${fault}`);
  };

  return {
    *rows(lines: readonly Line[]): Generator<CsvRow> {
      for (const line of lines) {
        open.push(line);
        length += line.text.length;
        const isOpen = open.length > 1 !== hasOddQuotes(line.text);
        if (isOpen && length <= MAX_LINE_LENGTH) continue;
        const values = valuesOf(open);
        open = [];
        length = 0;
        if (values.length === 1 && values[0] === '') continue;
        if (columns === undefined) columns = values.map((column) => column.trim());
        else yield { line: line.number, fields: byName(columns, values) };
      }
    },

    /** Throws if the file ends within a row. */
    end() {
      if (open.length > 0) valuesOf(open);
    },
  };
}

function byName(columns: readonly string[], values: readonly string[]): CsvRow['fields'] {
  const fields: Record<string, string> = {};
  const count = Math.min(columns.length, values.length);
  for (let place = 0; place < count; place += 1) fields[columns[place] ?? ''] = values[place] ?? '';
  return fields;
}

/** The fields of a row, or why it is not CSV. */
function fieldsOf(row: string): readonly string[] | { readonly fault: string; readonly column: number } {
  const parts = row.split(',');
  if (!row.includes('"')) return parts;
  const fields: string[] = [];
  for (let place = 0; place < parts.length; place += 1) {
    let field = parts[place] ?? '';
    if (field.includes('"')) {
      // Commas within quotes belong to the field.
      const first = place;
      let isOpen = hasOddQuotes(field);
      while (isOpen && place + 1 < parts.length) {
        place += 1;
        isOpen = !hasOddQuotes(parts[place] ?? '');
      }
      if (isOpen) return { fault: 'A quote is not closed.', column: fields.length };
      if (place > first) field = parts.slice(first, place + 1).join(',');
      const quoted = field.slice(1, -1).replaceAll('""', '');
      if (!field.startsWith('"') || !field.endsWith('"') || quoted.includes('"')) {
        return { fault: 'It has a quote in the middle of a value.', column: fields.length };
      }
      field = field.slice(1, -1).replaceAll('""', '"');
    }
    fields.push(field);
  }
  return fields;
}

function hasOddQuotes(text: string): boolean {
  let isOdd = false;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}
