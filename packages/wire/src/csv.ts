import { formatWithOffset, type TimeZone } from '@hitherto/domain/calendar';
import type { Definition } from '@hitherto/domain/definitions';
import type { ValueTotals } from '@hitherto/domain/engine';
import { DIMENSION_TABLE, type Dimension } from '@hitherto/domain/hits';
import {
  type Converted,
  type OverviewRow,
  type Point,
  ratesOf,
  type ShownGoal,
  type ShownStep,
} from '@hitherto/domain/reading';
import { knownVisits } from '@hitherto/domain/visits';
import { stringify } from 'csv-stringify/sync';

// Statistics as CSV, and the columns of lists (api.md, "Statistics"): the same in the API and on the pages.

export const CSV_TYPE = 'text/csv; charset=utf-8';
export const MAX_CSV_ROWS = 5_000;

/** The values of a dimension, or of a property of an event. */
export type ListName = Dimension | 'property';

export type ValueColumn =
  | 'visitors'
  | 'visits'
  | 'pageviews'
  | 'events'
  | 'bounce_rate'
  | 'visit_duration'
  | EngagementColumn;

/** Means of measured pageviews. */
export const ENGAGEMENT_COLUMNS = ['engaged_seconds', 'scroll_depth'] as const;
type EngagementColumn = (typeof ENGAGEMENT_COLUMNS)[number];

/** The columns of a list after the values, by the names of the API and in its order; pages and events have no rates. */
export function valueColumns(list: ListName): readonly ValueColumn[] {
  const from = list === 'property' ? 'events' : DIMENSION_TABLE[list].from;
  if (from === 'events') return ['visitors', 'visits', 'events'];
  if (from === 'pageviews') return ['visitors', 'visits', 'pageviews', ...ENGAGEMENT_COLUMNS];
  return ['visitors', 'visits', 'pageviews', 'bounce_rate', 'visit_duration', ...ENGAGEMENT_COLUMNS];
}

/** A number of a row, in the API's units; `null` where it is not known, and for a mean of nothing. */
export function valueCell(row: ValueTotals, column: ValueColumn): number | null {
  if (column === 'bounce_rate') return ratesOf(row).bounceRate;
  if (column === 'visit_duration') return ratesOf(row).visitDuration;
  if (column === 'engaged_seconds') return ratesOf(row).engagedSeconds;
  if (column === 'scroll_depth') return ratesOf(row).scrollDepth;
  return column === 'visits' ? knownVisits(row) : row[column];
}

/** @param converted the conversions of each row, if a goal was asked for */
export function valuesCsv(list: ListName, rows: readonly ValueTotals[], converted?: readonly Converted[]): string {
  const columns = valueColumns(list);
  return writeCsv(
    ['value', ...columns, ...(converted === undefined ? [] : CONVERTED_COLUMNS)],
    rows.map((row, index) => [
      row.value,
      ...columns.map((column) => valueCell(row, column)),
      ...convertedCells(converted?.[index]),
    ]),
  );
}

const SERIES_COLUMNS = ['visitors', 'visits', 'pageviews', 'events'] as const;

/** @param converted the conversions of each point, if a goal was asked for */
export function seriesCsv(zone: TimeZone, points: readonly Point[], converted?: readonly Converted[]): string {
  return writeCsv(
    ['start', ...SERIES_COLUMNS, ...(converted === undefined ? [] : CONVERTED_COLUMNS)],
    points.map((point, index) => [
      typeof point.start === 'string' ? point.start : formatWithOffset(zone, point.start),
      ...SERIES_COLUMNS.map((column) => (column === 'visits' ? knownVisits(point) : point[column])),
      ...convertedCells(converted?.[index]),
    ]),
  );
}

const CONVERTED_COLUMNS = ['converted_visitors', 'conversions', 'conversion_rate'];

function convertedCells(converted: Converted | undefined): CsvCell[] {
  return converted === undefined ? [] : [converted.visitors, converted.conversions, converted.conversionRate];
}

/** The numbers of goals, in the order of the goals. */
export function goalsCsv(goals: readonly Definition<'goal'>[], shown: readonly ShownGoal[]): string {
  return writeCsv(
    ['goal_id', 'goal_name', 'visitors', 'visits', 'conversions', 'conversion_rate', 'sum'],
    goals.flatMap(({ id, name }, index) => {
      const row = shown[index];
      if (row === undefined) return [];
      const sum = row.sum === null ? null : Number(row.sum);
      return [[id, name, row.visitors, row.visits, row.conversions, row.conversionRate, sum]];
    }),
  );
}

export function funnelCsv(steps: readonly ShownStep[]): string {
  return writeCsv(
    ['step', 'visits', 'visitors', 'of_first', 'of_previous'],
    steps.map(({ name, visits, visitors, ofFirst, ofPrevious }) => [name, visits, visitors, ofFirst, ofPrevious]),
  );
}

/** @param hasLabels whether labels may be seen */
export function overviewCsv(rows: readonly OverviewRow[], hasLabels: boolean): string {
  const columns = ['id', 'url', ...(hasLabels ? ['label'] : []), 'current_visitors', 'visitors', 'visitors_before'];
  return writeCsv(
    [...columns, 'state', 'last_hit_at'],
    rows.map(({ website: { id, url, label }, numbers: { current, visitors, before, state, lastHit } }) => [
      ...[id, url, ...(hasLabels ? [label] : []), current, visitors, before ?? null],
      ...[state, lastHit?.toISOString() ?? null],
    ]),
  );
}

/** A cell; `null` is an empty one. */
type CsvCell = string | number | null;

/** What a spreadsheet may skip in front of a formula, and the signs that begin one. */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@]/u;
/** Columns and lines end at these in some spreadsheets, as semicolons do in much of Europe; others drop spaces around a cell. */
const QUOTED = /[;\t\r\n]|^\s|\s$/;

/**
 * CSV as in RFC 4180, with a header line. A string that a spreadsheet would evaluate gets an apostrophe in front
 * (api.md, "Statistics").
 */
export function writeCsv(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return stringify([columns, ...rows], {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    quoted_match: QUOTED,
    cast: { string: (text, { index }) => marked(index === 0 ? [text] : text.split(/(?<=[;\t\r\n])/)) },
  });
}

/**
 * Pieces of a cell, marked where one would be evaluated. Only the first cell of a line is one piece: where a spreadsheet
 * splits lines at another character, the quotes of a later cell are inside of its column and have no meaning.
 */
function marked(pieces: readonly string[]): string {
  // Some locales read full-width signs as formulas, too.
  return pieces.map((piece) => (FORMULA.test(piece.normalize('NFKC')) ? `'${piece}` : piece)).join('');
}
