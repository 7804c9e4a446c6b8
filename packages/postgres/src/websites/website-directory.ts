import { isId, isStorable } from '@hitherto/domain/base';
import type { DirectoryEntry, Names, Reach, WebsiteDirectory } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { build, type Placeholders, statement } from '../connection/statement.ts';
import { toWebsite, WEBSITE_COLUMNS, type WebsiteRow } from './website-row.ts';

type EntryRow = WebsiteRow & { readonly account_id: string };

/** The port returns at most two: callers only need to know whether there is exactly one. */
const MAX_OF_ADDRESS = 2;

const findById = statement('find_website_by_id', (p: Placeholders<{ id: string }>) =>
  build
    .selectFrom('website')
    .select(['account_id', ...WEBSITE_COLUMNS])
    .where('id', '=', p('id')),
);

interface OfAddress extends Reach {
  readonly text: string;
}

const isReached = (p: Placeholders<OfAddress>) => sql<boolean>`
  account_id = ${p('accountId')} and (${p('websiteIds')}::uuid[] is null or id = any(${p('websiteIds')}::uuid[]))`;

const findByAddress = statement('find_websites_by_address', (p: Placeholders<OfAddress>) =>
  build
    .selectFrom('website')
    .select(['account_id', ...WEBSITE_COLUMNS])
    .where('address', '=', p('text'))
    .where(isReached(p))
    .limit(MAX_OF_ADDRESS),
);

const findByHost = statement('find_websites_by_host', (p: Placeholders<OfAddress>) =>
  build
    .selectFrom('website')
    .select(['account_id', ...WEBSITE_COLUMNS])
    .where(sql`split_part(address, '/', 1)`, '=', p('text'))
    .where(isReached(p))
    .limit(MAX_OF_ADDRESS),
);

/**
 * Of each name the first website, and of these the first. Where the time is not known, the rank decides: aliases, then addresses
 * and hosts in the order given.
 */
const findOwner = statement(
  'find_owner_of_names',
  (p: Placeholders<Names>) => sql<{ account_id: string }>`
    with name as (select name, place from unnest(${p('addresses')}::text[]) with ordinality given (name, place))
    select account_id from (
      select account_id, since, 0 as rank, created_at, number
        from website_alias join website on number = website_number where alias = any(${p('aliases')}::text[])
      union all
      select account_id, address_since, place, created_at, number from name join website on address = name
      union all
      select account_id, host_since, 1000 + place, created_at, number
        from name cross join lateral (
          select account_id, host_since, created_at, number from website where split_part(address, '/', 1) = name
          order by host_since nulls first, created_at, number limit 1
        ) first_of_host
    ) claim
    order by since nulls first, case when since is null then rank end, created_at, number limit 1`,
);

const findByAlias = statement('find_website_by_alias', (p: Placeholders<{ alias: string }>) =>
  build
    .selectFrom('website')
    .innerJoin('website_alias', 'website_alias.website_number', 'website.number')
    .select(['account_id', ...WEBSITE_COLUMNS])
    .where('website_alias.alias', '=', p('alias')),
);

/** Finds websites in PostgreSQL; triggers notify a channel of changes. */
export function createWebsiteDirectory(database: Database): WebsiteDirectory {
  async function read(query: typeof findByHost, text: string, { accountId, websiteIds }: Reach) {
    if (!isStorable(text) || !isId(accountId)) return [];
    return (await database.read(query.with({ text, accountId, websiteIds }))).map(toEntry);
  }

  return {
    async findById(id) {
      if (!isId(id)) return undefined;
      const [row] = await database.read(findById.with({ id }));
      return row && toEntry(row);
    },

    async findOwner({ aliases, addresses }) {
      const names = { aliases: aliases.filter(isStorable), addresses: addresses.filter(isStorable) };
      const [row] = await database.read(findOwner.with(names));
      return row?.account_id;
    },

    findByAddress: (text, reach) => read(findByAddress, text, reach),

    findByHost: (text, reach) => read(findByHost, text, reach),

    async findByAlias(alias) {
      if (!isStorable(alias)) return undefined;
      const [row] = await database.read(findByAlias.with({ alias }));
      return row && toEntry(row);
    },

    onChange(listener, signal) {
      // An empty payload means many websites.
      database.listen('website_changed', (id) => listener(id || undefined), signal);
    },
  };
}

function toEntry(row: EntryRow): DirectoryEntry {
  return { accountId: row.account_id, website: toWebsite(row) };
}
