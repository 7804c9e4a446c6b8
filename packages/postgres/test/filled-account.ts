import type { CursorPosition, WebsiteFilter } from '@hitherto/domain/websites';
import { rowsOf, run } from '@hitherto/testing/databases';

export const ORDERS = ['address_asc', 'address_desc', 'newest_first'] as const;
/** Rare, in a tenth at the end of the addresses, in half, in all; long, short, and such as has no trigram; and in none. */
export const SEARCHES = ['-99999', 'zz-shop', 'even', 'example', 'zz', 'ev', 'e', '://', 'é', 'qqq', 'qq'];

/** Adds websites by SQL, in the order of their numbers. */
export async function fillWebsites(
  url: string,
  {
    accountId,
    websites,
    idPrefix,
  }: { readonly accountId: string; readonly websites: number; readonly idPrefix: string },
): Promise<void> {
  await run(
    url,
    `insert into website (account_id, id, scheme, address, privacy, email_reports, exclude_bots, excluded_params, excluded_ips, aliases, embed_origins, created_at, updated_at)
     select $1::uuid, ($3::text || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
       'https', case when n % 10 = 0 then 'zz-shop' when n % 2 = 0 then 'even' else '' end || md5(n::text) || '.example/-' || n,
       'private', false, true, '{}', '{}', '{}', '{}', now(), now()
     from generate_series(1, $2::int) n`,
    [accountId, websites, idPrefix],
  );
}

/** Rows count as visible to all only once their commit is on disk, which a server without durability puts off. */
export async function untilAllVisible(url: string): Promise<void> {
  const isVisible = `select from pg_class where relname = 'website' and relallvisible = relpages`;
  do await run(url, 'vacuum analyze');
  while ((await rowsOf(url, isVisible)).length === 0);
}

/** A position among the first tenth of thousands of websites with the id prefix 01997c3e. */
export const positionAt = (order: WebsiteFilter['order'], side: CursorPosition['side']): CursorPosition => ({
  side,
  key: order === 'newest_first' ? '01997c3e-0000-7000-8000-000000002710' : 'even8',
});
