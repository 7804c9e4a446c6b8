import type { Readable } from 'node:stream';
import { InvalidFile } from '@hitherto/domain/files';
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
export async function* arrayItems(bytes: Readable, name: string): AsyncGenerator<readonly ArrayItem[]> {
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
        if (character?.trim() !== '') throw new InvalidFile(`${name} goes on after the array of visits.`);
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
          if (depth > MAX_DEPTH) throw tooDeep(name, number + 1);
        }
      } else if ((character === '}' || character === ']') && depth > 0) {
        depth -= 1;
        if (depth === 0) {
          number += 1;
          const whole = item + text.slice(start, at + 1);
          if (whole.length > MAX_LINE_LENGTH) throw tooLarge(name, number);
          found.push({ number, text: whole });
          item = '';
        }
      } else if (character === ']') array = 'closed';
    }
    yield found;
    if (depth > 0) item += text.slice(start);
    if (item.length > MAX_LINE_LENGTH) throw tooLarge(name, number + 1);
  }
  if (depth > 0) throw new InvalidFile(`${name} is incomplete: it ends within visit ${number + 1}.`);
  if (array !== 'closed') {
    throw new InvalidFile(`${name} is incomplete: the end of the array is missing after visit ${number}.`);
  }
}

function tooLarge(name: string, number: number): InvalidFile {
  return new InvalidFile(`${name}: visit ${number} is larger than 1 MiB. Leave it out.`);
}

function tooDeep(name: string, number: number): InvalidFile {
  return new InvalidFile(
    `${name}: visit ${number} has more than ${MAX_DEPTH} levels of arrays and objects in each other. Leave it out.`,
  );
}
