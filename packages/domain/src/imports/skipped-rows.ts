import { InvalidFile } from './errors.ts';
import type { SkippedRows, SkipReason } from './import.ts';

/** The largest share of faulty rows with which a file is imported. */
const MAX_FAULTY = 0.01;
const MAX_EXAMPLE_LENGTH = 300;

/** Counts the rows of a file that are left out. */
interface SkipCounter {
  add(reason: SkipReason, place: string, detail: string): void;
  /** The most frequent reason first. */
  result(): SkippedRows[];
  /** Throws {@link InvalidFile} if more than 1 % of all rows are faulty. */
  rejectFaults(rows: number): void;
}

export function countSkipped(): SkipCounter {
  const skipped = new Map<SkipReason, SkippedRows>();
  return {
    add(reason, place, detail) {
      const known = skipped.get(reason);
      const example = known?.example ?? exampleOf(`${place}: ${detail}`);
      skipped.set(reason, { reason, rows: (known?.rows ?? 0) + 1, example });
    },

    result: () => [...skipped.values()].sort((a, b) => b.rows - a.rows),

    rejectFaults(rows) {
      const faulty = skipped.get('faulty');
      if (faulty !== undefined) rejectFaultyRows(faulty, rows);
    },
  };
}

/** A preview is not stored, but has the same example. The file may have any character, and the cut may be within one. */
function exampleOf(text: string): string {
  return text.slice(0, MAX_EXAMPLE_LENGTH).replace(/[\0\p{Cs}]/gu, '\ufffd');
}

/** Throws {@link InvalidFile} if too many of the rows are faulty. */
export function rejectFaultyRows(faulty: Pick<SkippedRows, 'rows' | 'example'>, rows: number): void {
  if (faulty.rows <= rows * MAX_FAULTY) return;
  throw new InvalidFile(
    `${faulty.rows} of ${rows} rows are faulty, more than 1 %. The first one is ${faulty.example} Correct them, or import with "keep_going" (on the command line: --keep-going).`,
  );
}
