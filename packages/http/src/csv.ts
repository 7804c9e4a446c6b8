/** A cell; `null` is an empty one. */
export type CsvCell = string | number | null;

export const CSV_TYPE = 'text/csv; charset=utf-8';

/** What a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t]/;

/**
 * CSV as RFC 4180 writes it, with a header line. A text that a spreadsheet would run gets an apostrophe before it
 * (statistics.md, section 5).
 */
export function writeCsv(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(writeCell).join(',')}\r\n`).join('');
}

function writeCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
