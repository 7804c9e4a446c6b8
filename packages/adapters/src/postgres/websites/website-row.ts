import { addressOf, searchTextOf, type Website } from '@hitherto/domain';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { columnsOf } from '../connection/statement.ts';
import type { WebsiteTable } from '../migrations/tables.ts';

/** The columns of a website; the other columns serve to find it. */
export const WEBSITE_NAMES = [
  'id',
  'scheme',
  'address',
  'privacy',
  'password_hash',
  'email_reports',
  'exclude_bots',
  'excluded_params',
  'excluded_ips',
  'created_at',
  'updated_at',
] as const;

/** The same for `select`. Lists come as JSON, which the driver parses many times faster than PostgreSQL's arrays. */
export const WEBSITE_COLUMNS = [
  ...WEBSITE_NAMES.filter((name) => name !== 'excluded_params' && name !== 'excluded_ips'),
  listColumn('excluded_params'),
  listColumn('excluded_ips'),
] as const;

const WRITTEN_NAMES = ['account_id', 'search_text', ...WEBSITE_NAMES] as const;

/** All written columns, for `insert` and `select`. */
export const WRITTEN_COLUMNS = columnsOf(WRITTEN_NAMES);

export type WebsiteRow = Pick<Selectable<WebsiteTable>, (typeof WEBSITE_NAMES)[number]>;

function listColumn<Name extends 'excluded_params' | 'excluded_ips'>(name: Name) {
  return sql<string[]>`to_json(${sql.ref(`website.${name}`)})`.as(name);
}

/** The website in the row. */
export function toWebsite(row: WebsiteRow): Website {
  return {
    id: row.id,
    url: `${row.scheme}://${row.address}`,
    privacy: row.privacy,
    passwordHash: row.password_hash,
    emailReports: row.email_reports,
    excludeBots: row.exclude_bots,
    excludedParams: row.excluded_params,
    excludedIps: row.excluded_ips,
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

function toRow(accountId: string, website: Website): Pick<Selectable<WebsiteTable>, (typeof WRITTEN_NAMES)[number]> {
  const searchText = searchTextOf(website.url);
  const address = addressOf(website.url);
  return {
    account_id: accountId,
    id: website.id,
    scheme: website.url.slice(0, -`://${address}`.length),
    address,
    search_text: searchText === website.url ? null : searchText,
    privacy: website.privacy,
    password_hash: website.passwordHash,
    email_reports: website.emailReports,
    exclude_bots: website.excludeBots,
    excluded_params: [...website.excludedParams],
    excluded_ips: [...website.excludedIps],
    created_at: website.createdAt,
    updated_at: website.updatedAt,
  };
}
