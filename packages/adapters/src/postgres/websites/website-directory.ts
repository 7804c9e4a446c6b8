import type { DirectoryEntry, WebsiteDirectory } from '@hitherto/domain';
import { sql } from 'kysely';
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

interface OfAddress {
  readonly text: string;
  readonly accountId: string | null;
}

const findByAddress = statement('find_websites_by_address', (p: Placeholders<OfAddress>) =>
  build
    .selectFrom('website')
    .select(['account_id', ...WEBSITE_COLUMNS])
    .where('address', '=', p('text'))
    .where(isOf(p))
    .limit(MAX_OF_ADDRESS),
);

const findByHost = statement('find_websites_by_host', (p: Placeholders<OfAddress>) =>
  build
    .selectFrom('website')
    .select(['account_id', ...WEBSITE_COLUMNS])
    .where(sql`split_part(address, '/', 1)`, '=', p('text'))
    .where(isOf(p))
    .limit(MAX_OF_ADDRESS),
);

/** Whether a website belongs to an account, if one is given. */
function isOf(p: Placeholders<OfAddress>) {
  return sql<boolean>`(${p('accountId')}::uuid is null or account_id = ${p('accountId')}::uuid)`;
}

const findByAlias = statement('find_website_by_alias', (p: Placeholders<{ alias: string }>) =>
  build
    .selectFrom('website')
    .innerJoin('website_alias', 'website_alias.website_number', 'website.number')
    .select(['account_id', ...WEBSITE_COLUMNS])
    .where('website_alias.alias', '=', p('alias')),
);

/** Finds websites in PostgreSQL; triggers notify a channel of changes. */
export function createWebsiteDirectory(database: Database): WebsiteDirectory {
  async function read(query: typeof findByHost, text: string, accountId: string | undefined) {
    if (!isStorable(text) || (accountId !== undefined && !isId(accountId))) return [];
    return (await database.read(query.with({ text, accountId: accountId ?? null }))).map(toEntry);
  }

  return {
    async findById(id) {
      if (!isId(id)) return undefined;
      const [row] = await database.read(findById.with({ id }));
      return row && toEntry(row);
    },

    findByAddress: (text, accountId) => read(findByAddress, text, accountId),

    findByHost: (text, accountId) => read(findByHost, text, accountId),

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
