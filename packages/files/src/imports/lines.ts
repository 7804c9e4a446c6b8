import type { Readable } from 'node:stream';
import { InvalidFile, type StoredText, storedText } from '@hitherto/domain/files';

/** A line of a text file, without its line feed. */
export interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/** No format has longer lines; the limit bounds memory. */
export const MAX_LINE_LENGTH = 1 << 20;

/** Longer values are cut before anything reads them: no value counts beyond this. */
const MAX_VALUE_LENGTH = 1 << 13;

export function cutValue(value: string): string {
  return value.length > MAX_VALUE_LENGTH ? value.slice(0, MAX_VALUE_LENGTH) : value;
}

/**
 * The lines of a stream, in pieces as they are read.
 *
 * @param name of the file, for errors
 * @throws InvalidFile at a line that is too long
 */
export async function* linesOfFile(bytes: Readable, name: string | StoredText): AsyncGenerator<readonly FileLine[]> {
  let rest = '';
  let number = 0;
  for await (const text of decoded(bytes)) {
    // Only what is new is split: a long line would be searched again with each piece of it.
    const [begun = '', ...others] = text.split('\n');
    const lines = [rest + begun, ...others];
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) {
      throw new InvalidFile(storedText('longLine', name, number + lines.length + 1));
    }
    const first = number + 1;
    number += lines.length;
    yield lines.map((line, index) => ({ number: first + index, text: line }));
  }
  if (rest !== '') yield [{ number: number + 1, text: rest }];
}

/** The text of a stream in UTF-8, or in UTF-16 with a byte order mark, in pieces. */
export async function* decoded(bytes: Readable): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const chunk of bytes) {
      decoder ??= new TextDecoder(encodingOf(chunk));
      yield decoder.decode(chunk, { stream: true });
    }
    if (decoder !== undefined) yield decoder.decode();
  } finally {
    bytes.destroy();
  }
}

/** Matomo writes CSV in UTF-16. */
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
