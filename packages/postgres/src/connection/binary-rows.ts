import { type RawBuilder, sql } from 'kysely';
import { once } from './statement.ts';
import type { Transaction } from './transaction.ts';

const HEADER_BYTES = 19;
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
/** The number of fields, or the length of a field, that stands for none. */
const NONE = -1;

/**
 * Reads the fields of rows in PostgreSQL's binary format of COPY; `null` is null. The driver's own format writes a byte as two
 * characters.
 *
 * @param select without parameters
 */
export async function readBinaryRows(
  transaction: Transaction,
  select: RawBuilder<unknown>,
): Promise<(Buffer | null)[][]> {
  const all: Buffer[] = [];
  const copy = once(sql`copy (${select}) to stdout (format binary)`);
  for await (const piece of transaction.copyOut(copy.text)) all.push(piece);
  const bytes = Buffer.concat(all);
  const rows: (Buffer | null)[][] = [];
  for (let at = HEADER_BYTES; bytes.readInt16BE(at) !== NONE; ) {
    const count = bytes.readInt16BE(at);
    at += COUNT_BYTES;
    const row: (Buffer | null)[] = [];
    for (let field = 0; field < count; field += 1) {
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      row.push(length === NONE ? null : bytes.subarray(at, at + length));
      at += Math.max(0, length);
    }
    rows.push(row);
  }
  return rows;
}
