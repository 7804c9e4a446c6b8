import { inEnglish, type StoredText, shortened, storedText } from '../base/stored-text.ts';
import { InvalidFile } from './errors.ts';
import type { SkippedRows, SkipReason } from './import.ts';
import type { RowPlace } from './import-content.ts';

/** The largest share of faulty rows with which a file is imported. */
const MAX_FAULTY = 0.01;
const MAX_EXAMPLE_LENGTH = 300;

/** Counts the rows of a file that are left out. */
interface SkipCounter {
  add(reason: SkipReason, place: RowPlace, text: StoredText): void;
  /** The most frequent reason first. */
  result(): SkippedRows[];
  /** Throws {@link InvalidFile} if more than 1 % of all rows are faulty. */
  rejectFaults(rows: number): void;
}

export function countSkipped(): SkipCounter {
  const skipped = new Map<SkipReason, SkippedRows>();
  return {
    add(reason, place, text) {
      const known = skipped.get(reason) ?? { reason, rows: 0, ...exampleOf(placeOf(place), text) };
      skipped.set(reason, { ...known, rows: known.rows + 1 });
    },

    result: () => [...skipped.values()].sort((a, b) => b.rows - a.rows),

    rejectFaults(rows) {
      const faulty = skipped.get('faulty');
      if (faulty !== undefined) rejectFaultyRows(faulty, rows);
    },
  };
}

/** The place of a row in words. */
export function placeOf({ file, line = 0, visit, action, event }: RowPlace): StoredText {
  const row =
    event !== undefined
      ? storedText('eventAt', event)
      : visit !== undefined
        ? storedText('visit', visit)
        : storedText('line', line);
  const place = action === undefined ? row : storedText('action', row, action);
  return file === undefined ? place : storedText('inFile', file, place);
}

/** A place, and what is there. The file may have any character, and the cut may be within one. */
export function exampleOf(place: StoredText, sentence: StoredText): Pick<SkippedRows, 'example' | 'text'> {
  const text = storedText('at', place, sentence);
  const example = inEnglish(text)
    .slice(0, MAX_EXAMPLE_LENGTH)
    .replace(/[\0\p{Cs}]/gu, '\ufffd');
  return { example, text: shortened(text) };
}

/** Throws {@link InvalidFile} if too many of the rows are faulty. */
export function rejectFaultyRows(faulty: Pick<SkippedRows, 'rows' | 'example' | 'text'>, rows: number): void {
  if (faulty.rows <= rows * MAX_FAULTY) return;
  throw new InvalidFile(storedText('manyFaults', faulty.rows, rows, faulty.text ?? faulty.example));
}
