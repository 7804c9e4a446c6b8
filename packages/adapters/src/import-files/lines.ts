import type { Readable } from 'node:stream';
import { InvalidFile } from '@hitherto/domain';

/** A line of a text file, without its end. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/** No format has longer lines; the limit bounds memory. */
const MAX_LINE_BYTES = 1 << 20;

/** The lines of a stream in UTF-8. Throws {@link InvalidFile} at a line that is too long. */
export async function* linesOf(bytes: Readable): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let number = 0;
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_BYTES) throw new InvalidFile(`Line ${number + lines.length + 1} is longer than 1 MiB.`);
    for (const text of lines) {
      number += 1;
      yield { number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
    }
  }
  rest += decoder.decode();
  if (rest !== '') yield { number: number + 1, text: rest };
}
