import { canOccur, isId } from '@hitherto/domain/base';
import { type PageRequest, pageOf, toPage, type WebsiteRepository } from '@hitherto/domain/websites';
import { createConcurrencyLimit } from '../connection/concurrency-limit.ts';
import { type Database, MAX_CONNECTIONS } from '../connection/database.ts';
import { DATABASE_TIMEOUTS } from '../connection/timeouts.ts';
import { readSearch } from './search.ts';
import { toWebsite } from './website-row.ts';
import { selectWebsites } from './website-statements.ts';
import { readWhole } from './whole-list.ts';

/**
 * How many lists one account may run at a time. A search may take seconds, so half of the pool is left to other
 * accounts.
 */
const MAX_LISTS = MAX_CONNECTIONS.api / 2;

/** Lists websites, with one statement, or with at most three for a search in all of an account. */
export function createListWebsites(database: Database): WebsiteRepository['list'] {
  const limitLists = createConcurrencyLimit(MAX_LISTS, DATABASE_TIMEOUTS.connect);
  const read = (accountId: string, search: string, request: PageRequest) =>
    limitLists(accountId, () =>
      search === '' ? readWhole(database, accountId, request) : readSearch(database, accountId, request, search),
    );
  return async ({ accountId, websiteIds }, { search = '', order }, limit, position) => {
    const request = { order, limit, position };
    if (websiteIds !== null) {
      const some = selectWebsites.with({ accountId, ids: websiteIds.filter(isId) });
      const { rows } = isId(accountId) ? await limitLists(accountId, () => database.query(some)) : { rows: [] };
      return pageOf(rows.map(toWebsite), search, request);
    }
    if (!isId(accountId) || !canOccur(search)) return toPage({ ...request, position: undefined }, NOTHING);
    if (position !== undefined && order === 'newest_first' && !isId(position.key)) {
      const { count } = await read(accountId, search, { ...request, position: undefined });
      return toPage({ ...request, position: undefined }, { ...NOTHING, count });
    }
    // PostgreSQL does not accept a NUL. No address contains a control character, so with another one in its place the key is
    // still between the same two addresses.
    const storable = position && { ...position, key: position.key.replace(/\0.*$/su, '\x01') };
    return toPage(request, await read(accountId, search, { ...request, position: storable }));
  };
}

const NOTHING = { websites: [], neighbour: undefined, count: 0 };
