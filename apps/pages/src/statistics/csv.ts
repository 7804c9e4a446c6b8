import { formatWithOffset, type Point, type TimeZone, type ValueTotals } from '@hitherto/domain';
import { writeCsv } from '@hitherto/http';
import { cellOf, columnsOf } from './lists.ts';

/** The most rows of a CSV file (statistics.md, section 5). */
export const MAX_CSV_ROWS = 5_000;

const SERIES_COLUMNS = ['visitors', 'visits', 'pageviews', 'events'] as const;

/** A list as CSV, with the columns of the API. */
export function listCsv(dimension: string, rows: readonly ValueTotals[]): string {
  const columns = columnsOf(dimension);
  return writeCsv(
    ['value', ...columns],
    rows.map((row) => [row.value, ...columns.map((column) => cellOf(row, column))]),
  );
}

/** A series as CSV, with the columns of the API. */
export function seriesCsv(zone: TimeZone, points: readonly Point[]): string {
  return writeCsv(
    ['start', ...SERIES_COLUMNS],
    points.map((point) => [
      typeof point.start === 'string' ? point.start : formatWithOffset(zone, point.start),
      ...SERIES_COLUMNS.map((column) => point[column]),
    ]),
  );
}
