/** A JSON value in a list of distinct values; the strings of a dimension, for example. */
type Json = string | null | readonly Json[] | { readonly [name: string]: Json };

/** Strings of visits: the code of each visit is a place in the list of `values`. The first value is always `null`. */
export interface CodedStrings {
  readonly values: readonly (string | null)[];
  readonly codes: Uint32Array;
}

const LENGTH_BYTES = 4;

/**
 * Numbers as a column stores them: how many bytes each takes, 1, 2 or 4, then the numbers, in the byte order of the machine
 * (little endian on all that Node is made for, but one). Zeros alone are null.
 */
export function encodeNumbers(numbers: Uint32Array): Buffer | null {
  const largest = numbers.reduce((most, number) => Math.max(most, number), 0);
  if (largest === 0) return null;
  const Narrowest = largest < 2 ** 8 ? Uint8Array : largest < 2 ** 16 ? Uint16Array : Uint32Array;
  const bytes = Buffer.from(Narrowest.from(numbers).buffer);
  return Buffer.concat([Buffer.of(Narrowest.BYTES_PER_ELEMENT), bytes]);
}

/** Decodes the given number of values from `encodeNumbers`. */
export function decodeNumbers(stored: Buffer | null, length: number): Uint32Array {
  if (stored === null) return new Uint32Array(length);
  // A copy begins at a multiple of every size.
  const { buffer } = new Uint8Array(stored.subarray(1));
  switch (stored[0]) {
    case Uint8Array.BYTES_PER_ELEMENT:
      return new Uint32Array(new Uint8Array(buffer));
    case Uint16Array.BYTES_PER_ELEMENT:
      return new Uint32Array(new Uint16Array(buffer));
    default:
      return new Uint32Array(buffer);
  }
}

/** Strings as a column stores them: the length of the list of values, the list, and the codes. `null` alone is null. */
export function encodeStrings(values: readonly (string | null)[], codes: Uint32Array): Buffer | null {
  const encoded = encodeNumbers(codes);
  if (encoded === null) return null;
  const list = encodeList(values);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(list.length);
  return Buffer.concat([length, list, encoded]);
}

/** Decodes the values of the given number of visits from `encodeStrings`. */
export function decodeStrings(stored: Buffer | null, length: number): CodedStrings {
  if (stored === null) return { values: [null], codes: new Uint32Array(length) };
  const end = LENGTH_BYTES + stored.readUInt32LE();
  return {
    values: decodeList<string | null>(stored.subarray(LENGTH_BYTES, end)),
    codes: decodeNumbers(stored.subarray(end), length),
  };
}

/** Values as a column stores a list of them: as JSON. */
export function encodeList(values: readonly Json[]): Buffer {
  return Buffer.from(JSON.stringify(values));
}

/** Decodes such values from `encodeList`. */
export function decodeList<Value extends Json>(stored: Buffer | null): readonly Value[] {
  return stored === null ? [] : JSON.parse(stored.toString());
}
