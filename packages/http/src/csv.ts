/** A cell; `null` is an empty one. */
export type CsvCell = string | number | null;

export const CSV_TYPE = 'text/csv; charset=utf-8';

/** Texts that a spreadsheet would evaluate as a formula. */
const FORMULA = /^[=+\-@\t]/;

/**
 * CSV as in RFC 4180, with a header line. A text that a spreadsheet would evaluate gets an apostrophe in front
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
