import type { DirectoryEntry, WebsiteDirectory } from '@hitherto/domain';
import { isStorable } from '../../strings.ts';
import { isId } from '../../system.ts';
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

const findByAddress = statement('find_websites_by_address', (p: Placeholders<{ address: string }>) =>
  build
    .selectFrom('website')
    .select(['account_id', ...WEBSITE_COLUMNS])
    .where('address', '=', p('address'))
    .limit(MAX_OF_ADDRESS),
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
  return {
    async findById(id) {
      if (!isId(id)) return undefined;
      const [row] = await database.read(findById.with({ id }));
      return row && toEntry(row);
    },

    async findByAddress(address) {
      if (!isStorable(address)) return [];
      return (await database.read(findByAddress.with({ address }))).map(toEntry);
    },

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
