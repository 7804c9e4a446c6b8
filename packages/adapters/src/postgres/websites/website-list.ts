import { COUNT_LIMIT, type Cut, type WebsiteRepository } from '@hitherto/domain';
import { canOccur, isId } from '../../texts.ts';
import { createConcurrencyLimit } from '../connection/concurrency-limit.ts';
import { type Database, MAX_CONNECTIONS } from '../connection/database.ts';
import { DATABASE_TIMEOUTS } from '../connection/timeouts.ts';
import { readSection } from './website-page.ts';
import { searchSection } from './website-search.ts';
import { keyOf } from './website-section.ts';

/**
 * How many lists of one account are read at a time: a search may take a connection for seconds, and half of the pool is left
 * to the others whatever an account asks for.
 */
const MAX_LISTS = MAX_CONNECTIONS.api / 2;

/** Lists websites: with one statement, or at most three where it searches. */
export function createListWebsites(database: Database): WebsiteRepository['list'] {
  const limitLists = createConcurrencyLimit(MAX_LISTS, DATABASE_TIMEOUTS.connect);
  return async (accountId, { search = '', order }, limit, cut) => {
    if (!isId(accountId) || !canOccur(search)) {
      return { websites: [], previous: undefined, next: undefined, total: 0, totalIsExact: true };
    }
    const stands = cut === undefined || order !== 'newest_first' || isId(cut.key);
    const request = { accountId, order, limit, cut: stands ? storable(cut) : undefined };
    const section = await limitLists(accountId, () =>
      search === '' ? readSection(database, request) : searchSection(database, request, search),
    );

    const total = Math.min(section.count, COUNT_LIMIT);
    const totalIsExact = section.count <= COUNT_LIMIT;
    if (!stands) return { websites: [], previous: undefined, next: undefined, total, totalIsExact };
    const last = section.websites.at(-1);
    const nextKey = last === undefined ? cut?.key : keyOf(last, order);
    return {
      websites: section.websites,
      previous: section.before === undefined ? undefined : { side: 'up_to', key: section.before },
      next: section.hasMore && nextKey !== undefined ? { side: 'after', key: nextKey } : undefined,
      total,
      totalIsExact,
    };
  };
}

/**
 * The database cannot take a NUL. No address holds a control character, so that a key stands between the same two addresses
 * with another one in its place, and what follows decides nothing.
 */
function storable(cut: Cut | undefined): Cut | undefined {
  return cut && { side: cut.side, key: cut.key.replace(/\0.*$/su, '\x01') };
}
