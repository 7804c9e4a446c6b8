const MAX_LENGTH = 16_384;

/** A position in a list as a string, for the address of a page. */
export function encodeCursor(position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** The contents of a cursor, unchecked; empty if it is broken. */
export function decodeCursor(text: string | null): unknown[] {
  if (text === null || text.length > MAX_LENGTH) return [];
  try {
    const position: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(position) ? position : [];
  } catch {
    return [];
  }
}
