import { type ImportFormat, InvalidFile, storedText } from '@hitherto/domain/files';
import { type FileContent, namedIn } from './contents.ts';
import { headerOf } from './csv.ts';
import { FATHOM_COLUMNS } from './fathom.ts';
import { ROW_FORMATS } from './formats.ts';

/** The columns that the CSV header of each format has. */
const COLUMNS: readonly (readonly [ImportFormat, readonly string[]])[] = [
  ...ROW_FORMATS.flatMap(({ format, columns }) => (columns === undefined ? [] : [[format, columns] as const])),
  ['fathom', FATHOM_COLUMNS],
];

/** Between columns, by the name of their text. */
const SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
] as const;

/**
 * Finds the header that has the most columns of the wanted format, and throws {@link InvalidFile} with the first column that
 * it lacks. With `auto`, a header counts if it has most columns of any format.
 */
export async function rejectHeader(files: readonly FileContent[], wanted: ImportFormat | 'auto'): Promise<void> {
  let nearest: { readonly share: number; readonly error?: InvalidFile } = { share: wanted === 'auto' ? 0.5 : -1 };
  for (const file of files) {
    const [first = ''] = (await file.start()).split(/\r?\n/, 1);
    rejectSeparator(file, first, wanted);
    const header = headerOf(first);
    // A single value is text of any kind.
    if (header.length < 2) continue;
    for (const [format, columns] of COLUMNS) {
      if (wanted !== 'auto' && format !== wanted) continue;
      const [missing, ...others] = columns.filter((column) => !header.includes(column));
      const share = 1 - (1 + others.length) / columns.length;
      if (missing === undefined || share <= nearest.share) continue;
      const error = new InvalidFile(storedText('noColumnOf', namedIn(file), missing, format));
      nearest = { share, error };
    }
  }
  if (nearest.error !== undefined) throw nearest.error;
}

/** Throws if the columns of a format stand in the header, between other characters than commas. */
function rejectSeparator(file: FileContent, first: string, wanted: ImportFormat | 'auto'): void {
  for (const [separator, name] of SEPARATORS) {
    if (!first.includes(separator)) continue;
    const header = headerOf(first.replaceAll(separator, ','));
    const isKnown = COLUMNS.some(
      ([format, columns]) =>
        (wanted === 'auto' || format === wanted) && columns.every((column) => header.includes(column)),
    );
    if (!isKnown) continue;
    throw new InvalidFile(storedText(name, namedIn(file)));
  }
}
