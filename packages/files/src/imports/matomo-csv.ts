import { type ImportRow, InvalidFile, type StoredText, storedText } from '@hitherto/domain/files';
import { type FileContent, namedIn, placeIn } from './contents.ts';
import { type CsvRow, csvRows } from './csv.ts';
import { type MatomoVisit, visitRows } from './matomo.ts';
import { flatMap, type RowContext } from './rows.ts';

/** A response of Matomo's `Live.getLastVisitsDetails` as CSV, which has a column for each field of each action. */
export const MATOMO_COLUMNS = ['idVisit', 'visitIp'];

/** Of the action with this number, counted from 0. */
const ACTION = /^actionDetails_(\d+)_(\w+)$/;

/** Each action of a visit has columns of its own. */
const MAX_COLUMNS = 20_000;

/** The rows of such a file; each is a visit with its actions. */
export async function* matomoCsvRows(file: FileContent, context: RowContext): AsyncGenerator<Iterable<ImportRow>> {
  const [name, inFile] = [namedIn(file), placeIn(file)];
  let columns: ActionColumns | undefined;
  const rowsOf = ({ line, fields }: CsvRow) => {
    columns ??= actionColumns(fields, name);
    return visitRows(visitOf(fields, columns), { ...inFile, line }, context);
  };
  for await (const rows of csvRows(await file.bytes(), name, MAX_COLUMNS)) yield flatMap(rows, rowsOf);
}

/** The number of the action, and the field, of each column that has one. */
type ActionColumns = ReadonlyMap<string, { readonly action: number; readonly field: string }>;

function actionColumns(fields: CsvRow['fields'], name: string | StoredText): ActionColumns {
  const columns = new Map<string, { readonly action: number; readonly field: string }>();
  for (const column of Object.keys(fields)) {
    const [, action, field = ''] = ACTION.exec(column) ?? [];
    if (action !== undefined) columns.set(column, { action: Number(action), field });
  }
  if ([...columns.values()].some(({ field }) => field === 'type')) return columns;
  throw new InvalidFile(storedText('noActions', name));
}

/** Looks only at the columns that the row has: it may be much shorter than the header. */
function visitOf(fields: CsvRow['fields'], columns: ActionColumns): MatomoVisit {
  const visit: [string, string][] = [];
  // The file chooses the numbers, so an array could have any length.
  const actions = new Map<number, Record<string, string>>();
  for (const [column, value] of Object.entries(fields)) {
    const found = columns.get(column);
    if (found === undefined) visit.push([column, value]);
    else if (value !== '') {
      const known = actions.get(found.action) ?? {};
      known[found.field] = unescaped(value);
      actions.set(found.action, known);
    }
  }
  // A visit has fewer actions than the longest one, whose columns all rows have.
  const actionDetails = [...actions]
    .sort(([a], [b]) => a - b)
    .map(([, action]) => action)
    .filter(({ type }) => type !== undefined);
  return { ...Object.fromEntries(visit), actionDetails };
}

/** Matomo puts an apostrophe before values that a spreadsheet would take for a formula. */
function unescaped(value: string): string {
  return value.replace(/^'(?=%?[=+\-@])/, '');
}
