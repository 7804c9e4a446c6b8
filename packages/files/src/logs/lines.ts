import type { LogFile, LogLine, ReadableLogFile } from '@hitherto/domain/imports';

/** A line that has not been read yet. */
export type RawLine = Omit<LogLine, 'read'>;

/** A log whose lines have not been read yet. */
export interface RawLog extends LogFile, Pick<ReadableLogFile, 'isUnfinished'> {
  lines(from: number): AsyncIterable<readonly RawLine[]>;
}

/** Longer lines are cut: no server writes them on purpose. */
const MAX_LINE = 65_536;
const [NUL, LINE_FEED, CARRIAGE_RETURN] = [0, 10, 13];
const BYTE_ORDER_MARK = Buffer.from('\u{feff}');

/** The byte with which lines end, by the beginning of a file: carriage returns alone end lines of old Macs. */
export function lineEndOf(beginning: Buffer): number {
  const at = beginning.indexOf(CARRIAGE_RETURN);
  const isAlone = at !== -1 && at < beginning.length - 1 && !beginning.includes(LINE_FEED);
  return isAlone ? CARRIAGE_RETURN : LINE_FEED;
}

/**
 * The lines of a file, without its byte order mark, and the NULs that a truncated file has before its first line.
 *
 * @param from the offset of the bytes
 * @returns the last line if it has no end
 */
export async function* splitLines(
  bytes: AsyncIterable<Buffer>,
  from: number,
  lineEnd: number,
): AsyncGenerator<readonly RawLine[], RawLine | undefined> {
  let rest = Buffer.alloc(0);
  /** Bytes of the rest that are not kept. */
  let left = 0;
  let end = from;
  for await (const chunk of bytes) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const lines: RawLine[] = [];
    let start = 0;
    for (let at = data.indexOf(lineEnd); at !== -1; at = data.indexOf(lineEnd, start)) {
      const isFirst = end === 0;
      end += at + 1 - start + left;
      left = 0;
      lines.push({ text: textOf(data, start, at, isFirst), end });
      start = at + 1;
    }
    const kept = skipNuls(data, start, data.length);
    rest = Buffer.from(data.subarray(kept, kept + MAX_LINE));
    left += data.length - start - rest.length;
    yield lines;
  }
  if (rest.length === 0) return undefined;
  return { text: textOf(rest, 0, rest.length, end === 0), end: end + rest.length + left };
}

function textOf(data: Buffer, from: number, end: number, isFirst: boolean): string {
  let start = skipNuls(data, from, end);
  if (isFirst && data.subarray(start, start + BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
    start += BYTE_ORDER_MARK.length;
  }
  const text = data.toString('utf8', start, Math.min(end, start + MAX_LINE));
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

function skipNuls(data: Buffer, from: number, end: number): number {
  let start = from;
  while (start < end && data[start] === NUL) start += 1;
  return start;
}
