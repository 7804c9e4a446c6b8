import { basename } from 'node:path';
import {
  ACCESS_LOG,
  type ImportFileOptions,
  type ImportFormat,
  type ImportRow,
  type ImportSource,
  InvalidFile,
  type RowSource,
  timeZone,
} from '@hitherto/domain/files';
import { openLogSource } from './access-log.ts';
import { type Content, openContents, placePrefix } from './contents.ts';
import { type CsvRow, csvRows, headerOf } from './csv.ts';
import { openFathom } from './fathom.ts';
import { rejectHeader } from './foreign-header.ts';
import { CSV_FORMATS } from './formats.ts';
import { isGoatCounterExport, openGoatCounterExport } from './goatcounter-export.ts';
import { hithertoRows, isHitLine } from './hitherto.ts';
import { matomoRows } from './matomo.ts';
import { MATOMO_COLUMNS, matomoCsvRows } from './matomo-csv.ts';
import { isPlausible, openPlausible } from './plausible.ts';
import { map, type RowContext, timeReader } from './rows.ts';
import { readEventData } from './umami-data.ts';

/** A format, and the rows of a file of it. */
interface Recognized {
  readonly format: RowSource['format'];
  readonly rows: (context: RowContext) => AsyncIterable<Iterable<ImportRow>>;
}

/** Recognizes the format of a file, and reads it in this process. */
export async function openFile(path: string, { format, zone = 'UTC', url }: ImportFileOptions): Promise<ImportSource> {
  const contents = await openContents(path);
  try {
    if (isWanted(format, 'plausible') && isPlausible(contents.files)) {
      return await openPlausible(contents);
    }
    if (isWanted(format, 'goatcounter') && isGoatCounterExport(contents.files)) {
      return await openGoatCounterExport(contents, new URL(url).hostname.replace(/^www\./, ''));
    }
    const recognized = await firstRecognized(contents.files, format);
    const sums = recognized === undefined && isWanted(format, 'fathom') ? await openFathom(contents) : undefined;
    if (sums !== undefined) return sums;
    if (recognized === undefined) {
      const log = isWanted(format, ACCESS_LOG) ? await openLogSource(contents, timeZone(zone)) : undefined;
      if (log !== undefined) return log;
      await rejectHeader(contents.files, format);
      return rejectForeign(format);
    }
    const context = { origin: new URL(url).origin, timeOf: timeReader(zone) };
    return {
      format: recognized.format,
      async *rows() {
        try {
          yield* recognized.rows(context);
        } finally {
          contents.close();
        }
      },
      share: contents.share,
    };
  } catch (error) {
    contents.close();
    throw error;
  }
}

function isWanted(wanted: ImportFormat | 'auto', format: ImportFormat): boolean {
  return wanted === 'auto' || wanted === format;
}

/** The first file of the wanted format, or of any. */
async function firstRecognized(
  files: readonly Content[],
  wanted: ImportFormat | 'auto',
): Promise<Recognized | undefined> {
  for (const file of files) {
    const found = await recognize(file, files);
    if (found !== undefined && (wanted === 'auto' || found.format === wanted)) return found;
  }
  return undefined;
}

/** Recognizes a file, of these, by its beginning. */
async function recognize(file: Content, files: readonly Content[]): Promise<Recognized | undefined> {
  const start = await file.start();
  if (start.trim() === '') return undefined;
  const [first = ''] = start.split(/\r?\n/, 1);
  if (isHitLine(first)) return { format: 'hitherto', rows: () => hithertoRows(file) };
  if (/^\s*\[\s*\{/.test(start) && start.includes('"actionDetails"')) {
    return { format: 'matomo', rows: (context) => matomoRows(file, context) };
  }
  const header = headerOf(first);
  const hasAll = (columns: readonly string[]) => columns.every((column) => header.includes(column));
  if (hasAll(MATOMO_COLUMNS)) return { format: 'matomo', rows: (context) => matomoCsvRows(file, context) };
  const known = CSV_FORMATS.find(({ columns }) => hasAll(columns));
  if (known === undefined) return undefined;
  const { format, rowOf } = known;
  return {
    format,
    async *rows(context) {
      const dataOf = format === 'umami' ? yield* readEventData(files) : () => undefined;
      const prefix = placePrefix(file);
      const toRow = ({ line, fields }: CsvRow): ImportRow => ({
        place: `${prefix}line ${line}`,
        ...rowOf(fields, { ...context, line }, dataOf(fields)),
      });
      for await (const rows of csvRows(await file.bytes(), basename(file.name))) yield map(rows, toRow);
    },
  };
}

function rejectForeign(format: ImportFormat | 'auto'): never {
  if (format === 'auto') {
    throw new InvalidFile('Unknown file format: the beginning of the file matches none of the supported formats.');
  }
  throw new InvalidFile(`The file is not of the format "${format}": it begins differently.`);
}
