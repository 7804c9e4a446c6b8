import type { Readable } from 'node:stream';
import { InvalidFile, type StoredText, storedText } from '@hitherto/domain/files';
import { MAX_DEPTH } from './json-object.ts';
import { MAX_LINE_LENGTH } from './lines.ts';

/** An object of the array, as text. */
export interface ArrayItem {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/**
 * The objects of a JSON array, in pieces as they are read, without reading all of it into memory. Each has to be parsed.
 *
 * @param name of the file, for errors
 * @throws InvalidFile if the array does not end, or anything follows it
 */
export async function* arrayItems(bytes: Readable, name: string | StoredText): AsyncGenerator<readonly ArrayItem[]> {
  const decoder = new TextDecoder('utf-8');
  let item = '';
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let number = 0;
  let array: 'before' | 'open' | 'closed' = 'before';
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    const found: ArrayItem[] = [];
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at];
      if (array === 'closed') {
        if (character?.trim() !== '') throw new InvalidFile(storedText('goesOn', name));
      } else if (isString) {
        if (isEscaped) isEscaped = false;
        else if (character === '\\') isEscaped = true;
        else if (character === '"') isString = false;
      } else if (character === '"') {
        isString = depth > 0;
      } else if (character === '{' || character === '[') {
        if (array === 'before' && character === '[') array = 'open';
        else {
          if (depth === 0) start = at;
          depth += 1;
          if (depth > MAX_DEPTH) {
            throw new InvalidFile(storedText('deepVisit', name, number + 1, MAX_DEPTH));
          }
        }
      } else if ((character === '}' || character === ']') && depth > 0) {
        depth -= 1;
        if (depth === 0) {
          number += 1;
          const whole = item + text.slice(start, at + 1);
          if (whole.length > MAX_LINE_LENGTH) throw new InvalidFile(storedText('largeVisit', name, number));
          found.push({ number, text: whole });
          item = '';
        }
      } else if (character === ']') array = 'closed';
    }
    yield found;
    if (depth > 0) item += text.slice(start);
    if (item.length > MAX_LINE_LENGTH) throw new InvalidFile(storedText('largeVisit', name, number + 1));
  }
  if (depth > 0) throw new InvalidFile(storedText('endsWithin', name, number + 1));
  if (array !== 'closed') throw new InvalidFile(storedText('endsAfter', name, number));
}
