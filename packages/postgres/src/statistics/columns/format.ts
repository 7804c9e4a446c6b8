import { deflateSync, inflateSync } from 'node:zlib';

/** A JSON value in a list of distinct values; the strings of a dimension, for example. */
export type Json = string | number | null | readonly Json[] | { readonly [name: string]: Json };

/** Values by their codes: each code is a place in the list of `values`. */
export interface Coded<Value> {
  readonly values: readonly Value[];
  readonly codes: Uint32Array;
}

/** Strings of visits. The first value is always `null`. */
export type CodedStrings = Coded<string | null>;

const LENGTH_BYTES = 4;

/** Whole numbers, none of them below 0, from the narrowest to the widest. */
const FORMATS = [Uint8Array, Uint16Array, Uint32Array, Float64Array] as const;
const LIMITS = [2 ** 8, 2 ** 16, 2 ** 32, Number.POSITIVE_INFINITY] as const;

/**
 * Numbers as a column stores them: how many bytes each takes, then the numbers, in the byte order of the machine (little endian on
 * all that Node is made for, but one). Zeros alone have no bytes.
 */
export function encodeNumbers(numbers: ArrayLike<number>): Buffer {
  let largest = 0;
  for (let place = 0; place < numbers.length; place += 1) largest = Math.max(largest, numbers[place] ?? 0);
  if (largest === 0) return Buffer.of();
  const Narrowest = FORMATS[LIMITS.findIndex((limit) => largest < limit)] ?? Float64Array;
  return Buffer.concat([Buffer.of(Narrowest.BYTES_PER_ELEMENT), Buffer.from(Narrowest.from(numbers).buffer)]);
}

/** Decodes the given number of values from `encodeNumbers`. */
export function decodeNumbers(stored: Buffer, length: number): Uint32Array {
  return stored.length === 0 ? new Uint32Array(length) : new Uint32Array(listIn(stored));
}

/** The same for numbers that may take more than 32 bits. */
export function decodeLargeNumbers(stored: Buffer, length: number): Float64Array {
  return stored.length === 0 ? new Float64Array(length) : new Float64Array(listIn(stored));
}

function listIn(stored: Buffer): Uint8Array | Uint16Array | Uint32Array | Float64Array {
  const Format = FORMATS.find(({ BYTES_PER_ELEMENT }) => BYTES_PER_ELEMENT === stored[0]) ?? Float64Array;
  // A copy begins at a multiple of every size.
  return new Format(new Uint8Array(stored.subarray(1)).buffer);
}

/** Values and their codes as a column stores them: the length of the list of values, the list, and the codes. */
export function encodeCoded({ values, codes }: Coded<Json>): Buffer {
  const list = encodeList(values);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(list.length);
  return Buffer.concat([length, list, encodeNumbers(codes)]);
}

/** Decodes the values of the given number of visits from `encodeCoded`. */
export function decodeCoded<Value extends Json>(stored: Buffer, length: number): Coded<Value> {
  const end = LENGTH_BYTES + stored.readUInt32LE();
  return {
    values: decodeList<Value>(stored.subarray(LENGTH_BYTES, end)),
    codes: decodeNumbers(stored.subarray(end), length),
  };
}

/** Values as a column stores a list of them: as JSON. */
export function encodeList(values: readonly Json[]): Buffer {
  return Buffer.from(JSON.stringify(values));
}

/** Decodes such values from `encodeList`. */
export function decodeList<Value extends Json>(stored: Buffer): readonly Value[] {
  return stored.length === 0 ? [] : JSON.parse(stored.toString());
}

/** The format of what a row has. A reader knows this one and all before it. */
const FORMAT = 1;

/** Bytes as a row has them: their format, and the bytes, deflated, with zlib's checksum. */
export function close(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.of(FORMAT), deflateSync(bytes, { level: 1 })]);
}

/** The bytes of a row. Throws if they are damaged, or of a later version. */
export function open(stored: Buffer): Buffer {
  if (stored[0] !== FORMAT)
    throw new Error(`The hits of a day have the format ${stored[0]}: a later version made them.`);
  return inflateSync(stored.subarray(1));
}

/** Columns of a small part in one: each with its code and its length. */
export function joinColumns(columns: Iterable<readonly [code: number, bytes: Buffer]>): Buffer {
  return Buffer.concat(
    Array.from(columns, ([code, bytes]) => {
      const head = Buffer.alloc(1 + LENGTH_BYTES);
      head.writeUInt8(code);
      head.writeUInt32LE(bytes.length, 1);
      return [head, bytes];
    }).flat(),
  );
}

/** The columns from `joinColumns`, by their codes. */
export function splitColumns(joined: Buffer): Map<number, Buffer> {
  const columns = new Map<number, Buffer>();
  for (let at = 0; at < joined.length; ) {
    const [code, from] = [joined.readUInt8(at), at + 1 + LENGTH_BYTES];
    at = from + joined.readUInt32LE(at + 1);
    columns.set(code, joined.subarray(from, at));
  }
  return columns;
}
