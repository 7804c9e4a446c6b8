import { setImmediate as otherWork } from 'node:timers/promises';
import { FIRST_HIT_DIMENSIONS } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { eachRow, HEADER_BYTES, type HitRow, NAMES } from '../columns/hit-rows.ts';

const COLUMNS = columnsOf(NAMES, 'hit');

/** Which fields of hits are read: those that visitors are counted by who are there now, or all. */
export type HitFields = 'live' | 'all';

/** In the order of hits (`compareHits` in the domain), the dimensions here come after `country`, the last one that is read. */
const NOT_LIVE: ReadonlySet<string> = new Set([
  ...['props', 'view'],
  ...FIRST_HIT_DIMENSIONS.slice(FIRST_HIT_DIMENSIONS.indexOf('country') + 1),
]);
const LIVE_COLUMNS = sql.join(NAMES.map((name) => (NOT_LIVE.has(name) ? sql`null` : sql.ref(`hit.${name}`))));

/** A select of the fields of hits; those that are not read are null. */
export function hitRowsOf(hits: RawBuilder<unknown>, fields: HitFields = 'all'): RawBuilder<unknown> {
  return sql`select ${fields === 'live' ? LIVE_COLUMNS : COLUMNS} from ${hits}`;
}

/** Deletes hits, and returns their fields. */
export function deletedHitRows(isChosen: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`delete from hit ${isChosen} returning ${COLUMNS}`;
}

/** About how many bytes are in memory at once, and read before other work has its turn. */
const PIECE_BYTES = 512 * 1024;

/**
 * Reads the rows of a select without parameters, which {@link hitRowsOf} has made.
 *
 * @param onRow is called with each row, which changes afterwards
 */
export async function readHitRows(
  transaction: Transaction,
  select: RawBuilder<unknown>,
  onRow: (row: HitRow) => void,
): Promise<void> {
  const copy = once(sql`copy (${select}) to stdout (format binary)`);
  let pieces: Buffer[] = [];
  let size = 0;
  let skipped = HEADER_BYTES;
  const readPieces = () => {
    const bytes = Buffer.concat(pieces);
    const left = bytes.subarray(eachRow(bytes, skipped, onRow));
    skipped = 0;
    pieces = [left];
    size = left.length;
  };
  for await (const piece of transaction.copyOut(copy.text)) {
    pieces.push(piece);
    size += piece.length;
    if (size < PIECE_BYTES) continue;
    readPieces();
    await otherWork();
  }
  readPieces();
}
