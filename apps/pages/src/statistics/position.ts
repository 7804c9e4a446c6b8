import type { ValuePosition } from '@hitherto/domain';
import { decodeCursor, encodeCursor } from '../shared/cursor.ts';

/** The text form of a position, for the address of a list. */
export function encodePosition({ side, visitors, value }: ValuePosition): string {
  return encodeCursor([side, visitors, value]);
}

/** The position in a text; `undefined`, which means the first row, if there is none or it is faulty. */
export function decodePosition(text: string | null): ValuePosition | undefined {
  const [side, visitors, value] = decodeCursor(text);
  if (side !== 'after' && side !== 'up_to') return undefined;
  if (typeof visitors !== 'number' || !Number.isSafeInteger(visitors) || visitors < 0) return undefined;
  if (value !== null && (typeof value !== 'string' || /[\0\p{Cs}]/u.test(value))) return undefined;
  return { side, visitors, value };
}
