import type { CursorPosition, WebsiteFilter } from '@hitherto/domain/websites';
import { digest, readCursor, signCursor } from '../requests/paging.ts';

/**
 * The cursor of a position: it contains the sort and the search that it was made for. A forged one would gain nothing: a list
 * is always read within the key's account.
 */
export function encodeWebsiteCursor(
  accountId: string,
  { order, search }: WebsiteFilter,
  position: CursorPosition,
): string {
  return signCursor(accountId, [position.side, position.key, order, search === undefined ? '' : digest(search)]);
}

/** The position of a cursor; `undefined` if it is broken, altered, or made for another list. */
export function decodeWebsiteCursor(
  accountId: string,
  filter: WebsiteFilter,
  cursor: string,
): CursorPosition | undefined {
  const [side, key] = readCursor(cursor);
  if ((side !== 'after' && side !== 'up_to') || typeof key !== 'string') return undefined;
  const position: CursorPosition = { side, key };
  return encodeWebsiteCursor(accountId, filter, position) === cursor ? position : undefined;
}
