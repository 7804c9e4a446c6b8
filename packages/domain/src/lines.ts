import type { Fault } from './errors.ts';

/** The most entries that an exclusion list may have, counted after blanks and repeats are dropped. */
export const MAX_LINES = 1000;

/** What a list of lines comes to: its entries in normal form, or what is wrong with it. */
export type Lines = { readonly entries: readonly string[]; readonly faults: readonly Fault[] };

/** The normal form of one line, or what is wrong with it: `detail` goes on after "Line 3 ". */
export type Line = { readonly entry: string } | { readonly fault: Pick<Fault, 'code' | 'detail'> };

/**
 * Reads a list line by line: trims, drops blanks and repeats, keeps the order, and gives each bad line a fault of its own
 * (decisions.md, "Fields"). Repeats are found by the normal form. `maxFaults` bounds the work that a hostile list can cause.
 */
export function readLines(
  field: string,
  lines: readonly string[],
  readLine: (line: string) => Line,
  maxFaults: number,
): Lines {
  const entries = new Set<string>();
  // Reading costs far more than remembering, and a hostile list may repeat one line hundreds of thousands of times.
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
