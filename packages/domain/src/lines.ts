import type { Fault } from './errors.ts';

/** The most entries of an exclusion list, after blank lines and duplicates are dropped. */
export const MAX_LINES = 1000;

/** The result of reading a list: its entries in normal form, and its faults. */
export type Lines = { readonly entries: readonly string[]; readonly faults: readonly Fault[] };

/** The normal form of one line, or its fault, whose `detail` continues "Line 3 …". */
export type Line = { readonly entry: string } | { readonly fault: Pick<Fault, 'code' | 'detail'> };

/**
 * Reads a list line by line: trims, drops blank lines and duplicates (by normal form), keeps the order, and reports each bad
 * line (decisions.md, "Fields"). `maxFaults` limits the work that a hostile list can cause.
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
  for (const [index, text] of lines.entries()) {
    const line = text.trim();
    if (line === '' || accepted.has(line)) continue;
    const read = readLine(line);
    if ('entry' in read) {
      accepted.add(line);
      entries.add(read.entry);
    } else {
      faults.push({ field, line: index + 1, code: read.fault.code, detail: `Line ${index + 1} ${read.fault.detail}` });
    }
    if (faults.length >= maxFaults) break;
  }
  if (entries.size > MAX_LINES) {
    faults.unshift({ field, code: 'too_many', detail: `At most ${MAX_LINES} different lines are accepted.` });
  }
  return { entries: [...entries], faults };
}
