import type { ValuePosition } from '@hitherto/domain';

const MAX_CURSOR_LENGTH = 16_384;

/** The text form of a position, for the address of a list. */
export function encodePosition({ side, visitors, value }: ValuePosition): string {
  return Buffer.from(JSON.stringify([side, visitors, value])).toString('base64url');
}

/** The position in a text; `undefined`, which means the first row, if there is none or it is faulty. */
export function decodePosition(text: string | null): ValuePosition | undefined {
  if (text === null || text.length > MAX_CURSOR_LENGTH) return undefined;
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const [side, visitors, value]: unknown[] = Array.isArray(read) ? read : [];
    if (side !== 'after' && side !== 'up_to') return undefined;
    if (typeof visitors !== 'number' || !Number.isSafeInteger(visitors) || visitors < 0) return undefined;
    if (value !== null && (typeof value !== 'string' || /[\0\p{Cs}]/u.test(value))) return undefined;
    return { side, visitors, value };
  } catch {
    return undefined;
  }
}
