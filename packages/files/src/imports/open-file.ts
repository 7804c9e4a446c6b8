import {
  ACCESS_LOG,
  type ImportContent,
  type ImportFileOptions,
  type ImportFormat,
  InvalidFile,
  storedText,
  timeZone,
} from '@hitherto/domain/files';
import { openLogContent } from './access-log.ts';
import { type FileContent, openContents } from './contents.ts';
import { openFathom } from './fathom.ts';
import { rejectHeader } from './foreign-header.ts';
import { beginningOf, ROW_FORMATS, type RowFormat } from './formats.ts';
import { isGoatCounterExport, openGoatCounterExport } from './goatcounter-export.ts';
import { isPlausible, openPlausible } from './plausible.ts';
import { timeReader } from './rows.ts';

/** Recognizes the format of a file, and reads it in this process. */
export async function openFile(path: string, { format, zone = 'UTC', url }: ImportFileOptions): Promise<ImportContent> {
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
      const log = isWanted(format, ACCESS_LOG) ? await openLogContent(contents, timeZone(zone)) : undefined;
      if (log !== undefined) return log;
      await rejectHeader(contents.files, format);
      return rejectForeign(format);
    }
    const context = { origin: new URL(url).origin, timeOf: timeReader(zone) };
    return {
      format: recognized.known.format,
      async *rows() {
        try {
          yield* recognized.known.rows(recognized.file, contents.files, context);
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

/** The first file of the wanted format, or of any that has hits as rows. */
async function firstRecognized(
  files: readonly FileContent[],
  wanted: ImportFormat | 'auto',
): Promise<{ readonly file: FileContent; readonly known: RowFormat } | undefined> {
  for (const file of files) {
    const beginning = await beginningOf(file);
    const known = beginning && ROW_FORMATS.find((format) => format.recognizes(beginning));
    if (known !== undefined && isWanted(wanted, known.format)) return { file, known };
  }
  return undefined;
}

function rejectForeign(format: ImportFormat | 'auto'): never {
  throw new InvalidFile(format === 'auto' ? storedText('unknownFormat') : storedText('otherFormat', format));
}
