import { randomBytes } from 'node:crypto';
import { newId, now } from '@hitherto/adapters/system';
import { createAccount, issueKey } from '@hitherto/domain/access';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { rowsOf } from '@hitherto/testing/databases';
import { withClient, withRepositories } from '../database.ts';

/** An account with a write key, and some of its websites. */
export interface FilledAccount {
  readonly id: string;
  readonly key: string;
  /** At most a thousand, from all over its list. */
  readonly websiteIds: readonly string[];
}

/** Adds an account with a key. */
export function addAccount(url: string, name: string): Promise<{ id: string; key: string }> {
  return withRepositories(url, async ({ access }) => {
    const deps = { access, now, newId, randomBytes, author: COMMAND_LINE };
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
    'private', false, true, '{}', '{}', '{}', '{}', $4, $4
  from generate_series($2::int, $3::int) n`;
export const FILLED_AT = new Date('2026-01-01T00:00:00.000Z');
const CHUNK = 100_000;

/** Adds an account with `count` websites by SQL. */
export async function fillAccount(
  url: string,
  name: string,
  count: number,
  progress: (text: string) => void,
): Promise<FilledAccount> {
  const account = await addAccount(url, name);
  for (let from = 1; from <= count; from += CHUNK) {
    const to = Math.min(count, from + CHUNK - 1);
    progress(`filling: ${to.toLocaleString('en')} of ${count.toLocaleString('en')}`);
    await rowsOf(url, WEBSITES, [account.id, from, to, FILLED_AT]);
  }
  const ids = await rowsOf<{ id: string }>(
    url,
    `select id from (select id, row_number() over (order by id) as place from website where account_id = $1) numbered
     where place % $2 = 0 order by md5(id::text) limit 1000`,
    [account.id, Math.max(1, Math.floor(count / 1000))],
  );
  return { ...account, websiteIds: ids.map(({ id }) => id) };
}

/** Drops the search index for bulk loads: building it afterwards takes a fraction of the time. */
export async function withoutSearchIndex(url: string, work: () => Promise<void>): Promise<void> {
  const name = 'website_by_search_text';
  const definition = 'select indexdef from pg_indexes where indexname = $1';
  const [index] = await rowsOf<{ indexdef: string }>(url, definition, [name]);
  await rowsOf(url, `drop index ${name}`);
  await work();
  await rowsOf(url, `set maintenance_work_mem = '512MB'; ${index?.indexdef}`);
}

/** Does the work of autovacuum in a database's first hour: collects statistics and marks rows as visible to all. */
export async function settle(url: string): Promise<void> {
  await rowsOf(url, 'checkpoint');
  await rowsOf(url, 'vacuum (analyze)');
}

/** Adds `accounts` accounts of `each` websites by SQL, and returns one of them. */
export async function fillManyAccounts(
  url: string,
  accounts: number,
  each: number,
  progress: (text: string) => void,
): Promise<FilledAccount> {
  await withClient(url, async (client) => {
    await client.query(
      `insert into account (id, name, created_at)
       select gen_random_uuid(), 'one of many ' || n, $2 from generate_series(1, $1::int) n`,
      [accounts - 1, FILLED_AT],
    );
    const { rows } = await client.query<{ id: string }>("select id from account where name like 'one of many %'");
    for (const [index, { id }] of rows.entries()) {
      if (index % 100 === 0) progress(`filling: account ${index} of ${accounts}`);
      await client.query(WEBSITES, [id, 1, each, FILLED_AT]);
    }
  });
  return fillAccount(url, 'the last of many', each, progress);
}
