/**
 * Compares strings by their UTF-8 bytes, as PostgreSQL's collation "C" does. JavaScript's own order differs beyond U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let place = 0; place < length; place += 1) {
    const [unit, other] = [a.charCodeAt(place), b.charCodeAt(place)];
    if (unit === other) continue;
    // Only from here on do the two orders differ.
    const isBeyond = unit >= FIRST_SURROGATE && other >= FIRST_SURROGATE;
    return isBeyond ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : unit - other;
  }
  return a.length - b.length;
}

const FIRST_SURROGATE = 0xd800;

/** As {@link compareBytes}; none comes last. */
export function compareStrings(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareBytes(a, b);
}
