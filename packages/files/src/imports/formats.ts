import type { ImportRow, RowContent } from '@hitherto/domain/files';
import { type FileContent, namedIn, placeIn } from './contents.ts';
import { type CsvRow, csvRows, headerOf } from './csv.ts';
import { goatCounterRow } from './goatcounter.ts';
import { hithertoRows, isHitLine } from './hitherto.ts';
import { matomoRows } from './matomo.ts';
import { MATOMO_COLUMNS, matomoCsvRows } from './matomo-csv.ts';
import { type Fields, type LineContext, map, type ReadRow, type RowContext } from './rows.ts';
import { simpleAnalyticsRow } from './simple-analytics.ts';
import { umamiRow } from './umami.ts';
import { readEventData } from './umami-data.ts';

/** The beginning of a file. */
interface Beginning {
  readonly text: string;
  readonly line: string;
  /** The columns of the line, if the file is CSV. */
  readonly columns: readonly string[];
}

/** A format whose rows are hits, recognized by its beginning. A file of an export can need others of it. */
export interface RowFormat {
  readonly format: RowContent['format'];
  /** The columns of a CSV that no other format has; others may be missing. */
  readonly columns?: readonly string[];
  recognizes(beginning: Beginning): boolean;
  rows(file: FileContent, files: readonly FileContent[], context: RowContext): AsyncIterable<Iterable<ImportRow>>;
}

/** The formats whose rows are hits. At most one recognizes a file. */
export const ROW_FORMATS: readonly RowFormat[] = [
  { format: 'hitherto', recognizes: ({ line }) => isHitLine(line), rows: (file) => hithertoRows(file) },
  {
    format: 'matomo',
    recognizes: ({ text }) => /^\s*\[\s*\{/.test(text) && text.includes('"actionDetails"'),
    rows: (file, _, context) => matomoRows(file, context),
  },
  csv('umami', ['session_id', 'url_path', 'event_type', 'created_at'], umamiRow, readEventData),
  csv('goatcounter', ['2Path', 'Session', 'Date'], goatCounterRow),
  csv('simple-analytics', ['added_iso', 'path', 'datapoint'], simpleAnalyticsRow),
  ofColumns('matomo', MATOMO_COLUMNS, (file, _, context) => matomoCsvRows(file, context)),
];

/** The beginning of a file; `undefined` if it is blank. */
export async function beginningOf(file: FileContent): Promise<Beginning | undefined> {
  const text = await file.start();
  if (text.trim() === '') return undefined;
  const [line = ''] = text.split(/\r?\n/, 1);
  return { text, line, columns: headerOf(line) };
}

type DataOf = (fields: Fields) => object | undefined;

/** A format of CSV. */
function ofColumns(
  format: RowContent['format'],
  columns: readonly string[],
  rows: RowFormat['rows'],
): RowFormat & { readonly columns: readonly string[] } {
  return { format, columns, recognizes: (beginning) => hasAll(beginning.columns, columns), rows };
}

/**
 * A format of CSV with one hit a row.
 *
 * @param readData the data of events, from another file of the export
 */
function csv(
  format: RowContent['format'],
  columns: readonly string[],
  rowOf: (fields: Fields, context: LineContext, data?: object) => ReadRow,
  readData?: (files: readonly FileContent[]) => AsyncGenerator<readonly never[], DataOf>,
): RowFormat {
  return ofColumns(format, columns, async function* rows(file, files, context) {
    const dataOf = readData === undefined ? () => undefined : yield* readData(files);
    const inFile = placeIn(file);
    const toRow = ({ line, fields }: CsvRow): ImportRow => ({
      ...inFile,
      line,
      ...rowOf(fields, { ...context, line }, dataOf(fields)),
    });
    for await (const rows of csvRows(await file.bytes(), namedIn(file))) yield map(rows, toRow);
  });
}

function hasAll(header: readonly string[], columns: readonly string[]): boolean {
  return columns.every((column) => header.includes(column));
}
