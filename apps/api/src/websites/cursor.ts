import { createHash, createHmac } from 'node:crypto';
import type { Cut, WebsiteFilter } from '@hitherto/domain';

/**
 * The text that stands for a cut in a list (decisions.md, "List"): it carries the sort and the search that it was made for,
 * and a keyed hash under the account's id, which no answer tells. So an altered cursor is noticed, and another account's
 * is refused, on every instance and after a restart, without anything being stored. Forging one would gain nothing: every
 * list is read within the account of the key.
 */
export function encodeCursor(accountId: string, filter: WebsiteFilter, cut: Cut): string {
  const payload = Buffer.from(JSON.stringify([cut.side, cut.key, filter.order, digest(filter.search)]));
  const mac = createHmac('sha256', accountId).update(payload).digest().subarray(0, 16);
  return Buffer.concat([mac, payload]).toString('base64url');
}

/** The cut that a cursor stands for, or `undefined` where it is broken, altered, or made for something else. */
export function decodeCursor(accountId: string, filter: WebsiteFilter, cursor: string): Cut | undefined {
  const [side, key] = read(cursor);
  if ((side !== 'after' && side !== 'up_to') || typeof key !== 'string') return undefined;
  const cut: Cut = { side, key };
  return encodeCursor(accountId, filter, cut) === cursor ? cut : undefined;
}

function read(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').subarray(16).toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** A search can be long, and a cursor stands in urls and headers. */
function digest(search: string | undefined): string {
  return search === undefined ? '' : createHash('sha256').update(search).digest('base64url').slice(0, 16);
}
