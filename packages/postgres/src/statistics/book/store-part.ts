import { sql } from 'kysely';
import type { Transaction } from '../../connection/transaction.ts';
import { CODES } from '../columns/stored-columns.ts';
import type { StoredPart } from './read.ts';

const COPY = `copy book (website_number, import_number, day, part, hits, visits, first_time, last_time, code, bytes) from stdin`;

/** Adds parts to the book. */
export async function storeParts(transaction: Transaction, parts: readonly StoredPart[]): Promise<void> {
  if (parts.length > 0) await transaction.copy(COPY, textsOf(parts));
}

function* textsOf(parts: readonly StoredPart[]): Generator<string> {
  for (const { websiteNumber, origin, day, part, hits, visits, firstTime, lastTime, columns } of parts) {
    const start = `${websiteNumber}\t${origin}\t${day}\t${part}\t${hits}\t${visits}\t${firstTime}\t${lastTime}`;
    for (const [column, bytes] of columns) yield `${start}\t${column}\t\\\\x${bytes.toString('hex')}\n`;
  }
}

/** The condition on rows of `book` that they stand for their part: each part has one such row. */
export const IS_PART = sql`code in (${sql.lit(CODES.all)}, ${sql.lit(CODES.pageviews)})`;

/** The condition that the hits of a row count: they were collected, or their import is done. */
export const COUNTS = sql`(
  book.import_number = 0 or exists (select from import where number = book.import_number and status = 'done')
)`;
