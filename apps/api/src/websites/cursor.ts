import { createHash, createHmac } from 'node:crypto';
import type { CursorPosition, WebsiteFilter } from '@hitherto/domain';

/**
 * The text form of a position in a list (decisions.md, "List"): it contains the sort and search it was made for, and a hash
 * keyed by the account's id, which no response reveals. Every instance can therefore refuse altered cursors and those of
 * other accounts, without storing anything. A forged cursor would gain nothing: a list is always read within the key's
 * account.
 */
export function encodeCursor(accountId: string, filter: WebsiteFilter, position: CursorPosition): string {
  const payload = Buffer.from(JSON.stringify([position.side, position.key, filter.order, digest(filter.search)]));
  const mac = createHmac('sha256', accountId).update(payload).digest().subarray(0, 16);
  return Buffer.concat([mac, payload]).toString('base64url');
}

/** The position of a cursor; `undefined` if it is broken, altered, or made for another list. */
export function decodeCursor(accountId: string, filter: WebsiteFilter, cursor: string): CursorPosition | undefined {
  const [side, key] = read(cursor);
  if ((side !== 'after' && side !== 'up_to') || typeof key !== 'string') return undefined;
  const position: CursorPosition = { side, key };
  return encodeCursor(accountId, filter, position) === cursor ? position : undefined;
}

function read(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').subarray(16).toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** A hash, because a search can be long, and a cursor appears in urls and headers. */
function digest(search: string | undefined): string {
  return search === undefined ? '' : createHash('sha256').update(search).digest('base64url').slice(0, 16);
}
