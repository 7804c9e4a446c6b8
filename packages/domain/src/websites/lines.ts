import { type Fault, inWords, MAX_FAULTS, toldIn } from '../base/errors.ts';

/** The most entries of a list, after blank lines and duplicates are dropped, unless it has its own bound. */
export const MAX_LINES = 1000;

/** The most bytes of an exclusion list in normal form, one entry a line, in UTF-8. */
export const MAX_LIST_BYTES = 65_536;

/** The normal form of one line, or its fault, whose text continues "Line 3 …". */
export type Line = { readonly entry: string } | { readonly fault: Omit<Fault, 'field'> };

/**
 * Reads a list line by line: trims, drops blank lines and duplicates (by normal form), keeps the order, and reports each bad
 * line (api.md, "Fields"). It stops at {@link MAX_FAULTS} faults and far beyond `maxLines`, which limits the work
 * that a hostile list can cause.
 */
export function readLines(
  lines: readonly string[],
  readLine: (line: string) => Line,
  maxLines = MAX_LINES,
): { readonly value: readonly string[]; readonly faults: readonly Omit<Fault, 'field'>[] } {
  const entries = new Set<string>();
  // Parsing costs far more than a lookup, and a hostile list may repeat one line hundreds of thousands of times.
  const accepted = new Set<string>();
  const faults: Omit<Fault, 'field'>[] = [];
  let bytes = 0;
  for (const [index, text] of lines.entries()) {
    const line = text.trim();
    if (line === '' || accepted.has(line)) continue;
    const read = readLine(line);
    if ('entry' in read) {
      accepted.add(line);
      if (!entries.has(read.entry)) bytes += Buffer.byteLength(read.entry) + (entries.size === 0 ? 0 : 1);
      entries.add(read.entry);
    } else {
      faults.push(faultOfLine(index + 1, read.fault));
    }
    if (faults.length >= MAX_FAULTS || entries.size > 4 * maxLines) break;
  }
  if (entries.size > maxLines) {
    faults.unshift({ code: 'too_many', ...inWords((words) => words.faults.tooManyLines(maxLines)) });
  }
  if (bytes > MAX_LIST_BYTES) {
    faults.unshift({ code: 'too_long', ...inWords((words) => words.faults.tooMuchText) });
  }
  return { value: [...entries], faults };
}

/** @param fault whose text continues "Line 3 …" */
export function faultOfLine(line: number, fault: Omit<Fault, 'field'>): Omit<Fault, 'field'> {
  return { line, code: fault.code, ...inWords((words) => words.faults.line(line, toldIn(words, fault))) };
}
