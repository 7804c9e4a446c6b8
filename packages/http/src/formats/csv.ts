import {
  DIMENSION_TABLE,
  type Dimension,
  formatWithOffset,
  type Point,
  ratesOf,
  type TimeZone,
  type ValueTotals,
} from '@hitherto/domain';
import { stringify } from 'csv-stringify/sync';

// Statistics as CSV, and the columns of lists (statistics.md, section 5): the same in the API and on the pages.

export const CSV_TYPE = 'text/csv; charset=utf-8';
export const MAX_CSV_ROWS = 5_000;

/** The values of a dimension, or of a property of an event. */
export type ListName = Dimension | 'property';

export type ValueColumn = 'visitors' | 'visits' | 'pageviews' | 'events' | 'bounce_rate' | 'visit_duration';

/** The columns of a list after the values, by the names of the API and in its order; pages and events have no rates. */
export function valueColumns(list: ListName): readonly ValueColumn[] {
  const from = list === 'property' ? 'events' : DIMENSION_TABLE[list].from;
  if (from === 'events') return ['visitors', 'visits', 'events'];
  if (from === 'pageviews') return ['visitors', 'visits', 'pageviews'];
  return ['visitors', 'visits', 'pageviews', 'bounce_rate', 'visit_duration'];
}

/** A number of a row, in the API's units. */
export function valueCell(row: ValueTotals, column: ValueColumn): number | null {
  if (column === 'bounce_rate') return ratesOf(row).bounceRate;
  if (column === 'visit_duration') return ratesOf(row).visitDuration;
  return row[column];
}

export function valuesCsv(list: ListName, rows: readonly ValueTotals[]): string {
  const columns = valueColumns(list);
  return writeCsv(
    ['value', ...columns],
    rows.map((row) => [row.value, ...columns.map((column) => valueCell(row, column))]),
  );
}

const SERIES_COLUMNS = ['visitors', 'visits', 'pageviews', 'events'] as const;

export function seriesCsv(zone: TimeZone, points: readonly Point[]): string {
  return writeCsv(
    ['start', ...SERIES_COLUMNS],
    points.map((point) => [
      typeof point.start === 'string' ? point.start : formatWithOffset(zone, point.start),
      ...SERIES_COLUMNS.map((column) => point[column]),
    ]),
  );
}

/** A cell; `null` is an empty one. */
type CsvCell = string | number | null;

/** Strings that a spreadsheet would evaluate as a formula. */
const FORMULA = /^[=+\-@\t]/;

/**
 * CSV as in RFC 4180, with a header line. A string that a spreadsheet would evaluate gets an apostrophe in front
 * (statistics.md, section 5).
 */
export function writeCsv(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return stringify([columns, ...rows], {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    cast: { string: (text) => (FORMULA.test(text) ? `'${text}` : text) },
  });
}
