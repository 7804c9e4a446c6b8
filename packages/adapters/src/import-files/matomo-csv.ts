import { basename } from 'node:path';
import { type ImportRow, InvalidFile } from '@hitherto/domain';
import { type Content, placePrefix } from './contents.ts';
import { type CsvRow, csvRows } from './csv.ts';
import { type MatomoVisit, visitRows } from './matomo.ts';
import { flatMap, type RowContext } from './rows.ts';

/** A response of Matomo's `Live.getLastVisitsDetails` as CSV, which has a column for each field of each action. */
export const MATOMO_COLUMNS = ['idVisit', 'visitIp'];

/** Of the action with this number, counted from 0. */
const ACTION = /^actionDetails_(\d+)_(\w+)$/;

/** The rows of such a file; each is a visit with its actions. */
export async function* matomoCsvRows(file: Content, context: RowContext): AsyncGenerator<Iterable<ImportRow>> {
  const [name, prefix] = [basename(file.name), placePrefix(file)];
  let columns: readonly ActionColumn[] | undefined;
  const rowsOf = ({ line, fields }: CsvRow) => {
    columns ??= actionColumns(fields, name);
    return visitRows(visitOf(fields, columns), `${prefix}line ${line}`, context);
  };
  for await (const rows of csvRows(await file.bytes(), name)) yield flatMap(rows, rowsOf);
}

interface ActionColumn {
  readonly column: string;
  readonly action: number;
  readonly field: string;
}

/** In the order of the actions. */
function actionColumns(fields: CsvRow['fields'], name: string): ActionColumn[] {
  const columns = Object.keys(fields).flatMap((column) => {
    const [, action, field = ''] = ACTION.exec(column) ?? [];
    return action === undefined ? [] : [{ column, action: Number(action), field }];
  });
  if (columns.some(({ field }) => field === 'type')) return columns.sort((a, b) => a.action - b.action);
  throw new InvalidFile(
    `${name} has visits without their actions: no column is named actionDetails_0_type. Export it without hideColumns, or as JSON.`,
  );
}

function visitOf(fields: CsvRow['fields'], columns: readonly ActionColumn[]): MatomoVisit {
  // The file chooses the numbers, so an array could have any length.
  const actions = new Map<number, Record<string, string>>();
  for (const { column, action, field } of columns) {
    const value = fields[column];
    if (value === undefined || value === '') continue;
    const known = actions.get(action) ?? {};
    known[field] = unescaped(value);
    actions.set(action, known);
  }
  const visit = Object.entries(fields).filter(([column]) => !column.startsWith('actionDetails_'));
  // A visit has fewer actions than the longest one, whose columns all rows have.
  const actionDetails = [...actions.values()].filter(({ type }) => type !== undefined);
  return { ...Object.fromEntries(visit), actionDetails };
}

/** Matomo puts an apostrophe before values that a spreadsheet would take for a formula. */
function unescaped(value: string): string {
  return value.replace(/^'(?=%?[=+\-@])/, '');
}
