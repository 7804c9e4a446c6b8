import {
  addressOf,
  LIST_SETTINGS,
  SETTING_NAMES,
  type SettingName,
  searchTextOf,
  settingsFrom,
  storedNameOf,
  type Website,
  type WebsiteSettings,
} from '@hitherto/domain/websites';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { columnsOf } from '../connection/statement.ts';
import type { WebsiteTable } from '../migrations/tables.ts';

/** The columns of a website except its settings; the other columns serve to find it. */
const OWN_NAMES = ['id', 'scheme', 'address', 'password_hash', 'created_at', 'updated_at'] as const;

/** The names of {@link WEBSITE_COLUMNS} in a row. */
export const WEBSITE_NAMES = [...OWN_NAMES, ...SETTING_NAMES];

/** The columns of a website for `select`; settings have the domain's names. */
export const WEBSITE_COLUMNS = [...OWN_NAMES, ...SETTING_NAMES.map(settingColumn)];

/** All written columns, for `insert` and `select`. */
export const WRITTEN_COLUMNS = columnsOf([
  'account_id',
  'search_text',
  ...OWN_NAMES,
  ...SETTING_NAMES.map(storedNameOf),
]);

export type WebsiteRow = Pick<Selectable<WebsiteTable>, (typeof OWN_NAMES)[number]> & WebsiteSettings;

/**
 * Lists come as JSON, which the driver parses many times faster than PostgreSQL's arrays. The type is `never`, which any
 * column of {@link WebsiteRow} may have, because the type of a list of columns does not distinguish them.
 */
function settingColumn<Name extends SettingName>(name: Name) {
  const column = sql.ref(`website.${storedNameOf(name)}`);
  return (LIST_SETTINGS.includes(name) ? sql<never>`to_json(${column})` : sql<never>`${column}`).as(name);
}

/** The website in the row. */
export function toWebsite(row: WebsiteRow): Website {
  return {
    id: row.id,
    url: `${row.scheme}://${row.address}`,
    passwordHash: row.password_hash,
    ...settingsFrom((name) => row[name]),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The rows of websites, as one parameter: see {@link rowsIn}. */
export function toRows(websites: readonly { readonly accountId: string; readonly website: Website }[]): string {
  return JSON.stringify(websites.map(({ accountId, website }) => toRow(accountId, website)));
}

/** The rows of a parameter, as a table `given`. */
export function rowsIn(parameter: RawBuilder<string>): RawBuilder<unknown> {
  return sql`json_populate_recordset(null::website, ${parameter}::json) given`;
}

function toRow(accountId: string, website: Website): object {
  const searchText = searchTextOf(website.url);
  const address = addressOf(website.url);
  return {
    account_id: accountId,
    id: website.id,
    scheme: website.url.slice(0, -`://${address}`.length),
    address,
    search_text: searchText === website.url ? null : searchText,
    password_hash: website.passwordHash,
    ...Object.fromEntries(SETTING_NAMES.map((name) => [storedNameOf(name), website[name]])),
    created_at: website.createdAt,
    updated_at: website.updatedAt,
  };
}
