/**
 * Compares texts by their UTF-8 bytes, as PostgreSQL's collation "C" does. JavaScript's own order differs beyond U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** As {@link compareBytes}; none comes last. */
export function compareTexts(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareBytes(a, b);
}
