/** Why a row is not a CSV, by the name of its text. */
export type CsvFault = 'openQuote' | 'innerQuote' | 'afterQuote' | 'longRow';

/** A row as it is in the file. */
export interface CsvRecord {
  /** Empty of an empty line but for one empty value. */
  readonly values: readonly string[];
  /** How many lines it has: values in quotes may have line breaks. */
  readonly lines: number;
  /** How many characters it has, with its line break. */
  readonly length: number;
  /** Why it is not a CSV from a value on, which has this number, from 0. */
  readonly fault?: { readonly reason: CsvFault; readonly column: number } | undefined;
}

const [QUOTE, COMMA, LINE_FEED, BYTE_ORDER_MARK] = [34, 44, 10, 0xfeff];
const BLANK: ReadonlySet<number> = new Set([9, 13, 32]);

/**
 * Parses rows of CSV as in RFC 4180, each character once.
 *
 * @param isWhole whether the text ends with the file; otherwise a last row without its line break is left
 * @returns the rows, and where the last one ends
 */
export function parseCsv(text: string, isWhole: boolean): { readonly records: CsvRecord[]; readonly end: number } {
  const records: CsvRecord[] = [];
  let end = 0;
  while (end < text.length) {
    const record = recordAt(text, end, isWhole);
    if (record === undefined) break;
    records.push(record);
    // What follows a fault is not read.
    end = record.fault === undefined ? end + record.length : text.length;
  }
  return { records, end };
}

function recordAt(text: string, start: number, isWhole: boolean): CsvRecord | undefined {
  const values: string[] = [];
  let lines = 1;
  // Files that were put together have one before a row.
  let at = text.charCodeAt(start) === BYTE_ORDER_MARK ? start + 1 : start;
  const faulty = (reason: CsvFault): CsvRecord => {
    return { values, lines, length: at - start, fault: { reason, column: values.length } };
  };
  for (;;) {
    const isQuoted = text.charCodeAt(at) === QUOTE;
    if (isQuoted) {
      const value = quotedAt(text, at);
      // A quote at the end of the text may be the first one of two.
      if (value === undefined || (value.end === text.length && !isWhole)) {
        return isWhole ? faulty('openQuote') : undefined;
      }
      lines += value.lineBreaks;
      values.push(value.text);
      at = value.end;
      while (BLANK.has(text.charCodeAt(at))) at += 1;
    } else {
      let hasQuote = false;
      const from = at;
      let code = text.charCodeAt(at);
      while (at < text.length && code !== COMMA && code !== LINE_FEED) {
        hasQuote ||= code === QUOTE;
        at += 1;
        code = text.charCodeAt(at);
      }
      if (at === text.length && !isWhole) return undefined;
      if (hasQuote) return faulty('innerQuote');
      values.push(text.slice(from, code === LINE_FEED && text.charCodeAt(at - 1) === 13 ? Math.max(from, at - 1) : at));
    }
    if (at === text.length) return isWhole ? { values, lines, length: at - start } : undefined;
    const code = text.charCodeAt(at);
    if (code === LINE_FEED) return { values, lines, length: at + 1 - start };
    if (code !== COMMA) {
      values.pop();
      return faulty('afterQuote');
    }
    at += 1;
  }
}

/** The value whose quote opens at this place, and where it ends; `undefined` if the quote is not closed. */
function quotedAt(text: string, open: number) {
  let lineBreaks = 0;
  let hasQuotes = false;
  for (let at = open + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED) lineBreaks += 1;
    if (code !== QUOTE) continue;
    if (text.charCodeAt(at + 1) === QUOTE) {
      hasQuotes = true;
      at += 1;
      continue;
    }
    const inside = text.slice(open + 1, at);
    return { text: hasQuotes ? inside.replaceAll('""', '"') : inside, end: at + 1, lineBreaks };
  }
  return undefined;
}
