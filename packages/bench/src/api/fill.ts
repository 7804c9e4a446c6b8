import { randomBytes } from 'node:crypto';
import { createAccount, issueKey } from '@hitherto/domain/access';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { newId, now } from '@hitherto/outside/system';
import { rowsOf } from '@hitherto/testing/databases';
import { withRepositories } from '../database.ts';

/** An account with a write key, and some of its websites. */
export interface FilledAccount {
  readonly id: string;
  readonly key: string;
  /** At most a thousand, from all over its list. */
  readonly websiteIds: readonly string[];
}

/** Adds an account with a key. */
export function addAccount(url: string, name: string): Promise<{ id: string; key: string }> {
  return withRepositories(url, async ({ access, websites }) => {
    const deps = { access, websites, now, newId, randomBytes, author: COMMAND_LINE };
    const { id } = await createAccount(deps, name);
    return { id, key: (await issueKey(deps, id)).text };
  });
}

/**
 * The websites of an account: a tenth are shops, whose addresses sort late, and the number at the end makes rare terms.
 * Ids are spread over the last years, so that newest-first is unrelated to the order of addresses.
 */
const WEBSITES = `
  insert into website (account_id, id, scheme, address, privacy, email_reports, exclude_bots, excluded_params, excluded_ips, aliases, embed_origins, created_at, updated_at)
  select $1::uuid,
    (lpad(to_hex(1700000000000 + n::bigint * 10), 12, '0') || '7' || substr(md5(n::text || $1), 1, 3) || '8' || substr(md5($1 || n::text), 1, 15))::uuid,
    'https', case when n % 10 = 0 then 'zz-shop-' else '' end || substr(md5(n::text), 1, 12) || '.example/' || n,
    'private', false, true, '{}', '{}', '{}', '{}', $3, $3
  from generate_series(1, $2::int) n`;
export const FILLED_AT = new Date('2026-01-01T00:00:00.000Z');

/** Adds an account with `count` websites by SQL. */
export async function fillAccount(url: string, name: string, count: number): Promise<FilledAccount> {
  const account = await addAccount(url, name);
  await rowsOf(url, WEBSITES, [account.id, count, FILLED_AT]);
  const ids = await rowsOf<{ id: string }>(
    url,
    `select id from (select id, row_number() over (order by id) as place from website where account_id = $1) numbered
     where place % $2 = 0 order by md5(id::text) limit 1000`,
    [account.id, Math.max(1, Math.floor(count / 1000))],
  );
  return { ...account, websiteIds: ids.map(({ id }) => id) };
}
