import type { Fault } from './errors.ts';

/** The most entries of an exclusion list, after blank lines and duplicates are dropped. */
export const MAX_LINES = 1000;

/** Beyond so many entries the rest of a list is not read. */
const MAX_READ = 4 * MAX_LINES;

/** The most bytes of an exclusion list in normal form, one entry a line, in UTF-8. */
export const MAX_LIST_BYTES = 65_536;

/** The result of reading a list: its entries in normal form, and its faults. */
export type Lines = { readonly entries: readonly string[]; readonly faults: readonly Fault[] };

/** The normal form of one line, or its fault, whose `detail` continues "Line 3 …". */
export type Line = { readonly entry: string } | { readonly fault: Pick<Fault, 'code' | 'detail'> };

/**
 * Reads a list line by line: trims, drops blank lines and duplicates (by normal form), keeps the order, and reports each bad
 * line (decisions.md, "Fields"). It stops at `maxFaults` faults and far beyond {@link MAX_LINES}, which limits the work that
 * a hostile list can cause.
 */
export function readLines(
  field: string,
  lines: readonly string[],
  readLine: (line: string) => Line,
  maxFaults: number,
): Lines {
  const entries = new Set<string>();
  // Parsing costs far more than a lookup, and a hostile list may repeat one line hundreds of thousands of times.
  const accepted = new Set<string>();
  const faults: Fault[] = [];
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
      faults.push({ field, line: index + 1, code: read.fault.code, detail: `Line ${index + 1} ${read.fault.detail}` });
    }
    if (faults.length >= maxFaults || entries.size > MAX_READ) break;
  }
  if (entries.size > MAX_LINES) {
    faults.unshift({ field, code: 'too_many', detail: `At most ${MAX_LINES} different lines are accepted.` });
  }
  if (bytes > MAX_LIST_BYTES) {
    faults.unshift({ field, code: 'too_long', detail: 'At most 64 KiB of text are accepted.' });
  }
  return { entries: [...entries], faults };
}
