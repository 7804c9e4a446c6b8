import type { IdempotencyRecord } from '@hitherto/domain/changes';
import { sql } from 'kysely';
import { auditing } from '../changes.ts';
import { build, type Placeholders, statement } from '../connection/statement.ts';
import { rowsIn, WEBSITE_COLUMNS, WRITTEN_COLUMNS } from './website-row.ts';

type Owned<T = unknown> = { readonly accountId: string } & T;
type Noted<T = unknown> = { readonly audited: string; readonly deliverable: string } & T;
type Written<T = unknown> = Noted<{ readonly rows: string } & T>;

export const findWebsite = statement('find_website', (p: Placeholders<Owned<{ id: string }>>) =>
  build
    .selectFrom('website')
    .select(WEBSITE_COLUMNS)
    .where('account_id', '=', p('accountId'))
    .where('id', '=', p('id')),
);

export const selectWebsites = statement('find_websites', (p: Placeholders<Owned<{ ids: readonly string[] }>>) =>
  build
    .selectFrom('website')
    .select(WEBSITE_COLUMNS)
    .where('account_id', '=', p('accountId'))
    .where(sql<boolean>`id = any(${p('ids')}::uuid[])`),
);

export const selectNames = statement(
  'select_website_names',
  (p: Placeholders<Owned<{ ids: readonly string[] | null; limit: number }>>) => sql<{
    id: string;
    scheme: string;
    address: string;
    timeZone: string | null;
    label: string | null;
  }>`
    select id, scheme, address, time_zone as "timeZone", label from website
    where account_id = ${p('accountId')} and (${p('ids')}::uuid[] is null or id = any(${p('ids')}::uuid[]))
    order by address limit ${p('limit')}`,
);

/** Who has an address. */
export const findIdByAddress = statement('find_id_by_address', (p: Placeholders<Owned<{ address: string }>>) =>
  build.selectFrom('website').select('id').where('account_id', '=', p('accountId')).where('address', '=', p('address')),
);

/** The number, from 1, of the first of these aliases that another website has. */
export const findTakenAlias = statement(
  'find_taken_alias',
  (p: Placeholders<{ id: string; aliases: readonly string[] }>) => sql<{ number: number }>`
    select given.number::int as number from unnest(${p('aliases')}::text[]) with ordinality given (alias, number)
    join website_alias taken on taken.alias = given.alias
    join website on website.number = taken.website_number
    where website.id <> ${p('id')} order by given.number limit 1`,
);

export const insertWebsites = statement('insert_websites', (p: Placeholders<Written>) =>
  auditing(
    sql`insert into website (${WRITTEN_COLUMNS}) select ${WRITTEN_COLUMNS} from ${rowsIn(p('rows'))}`,
    p('audited'),
    sql``,
    p('deliverable'),
  ),
);

/**
 * Adds the record and, only if that was added or replaced an expired one, the website. A concurrent insert of the same
 * record waits in the first part for the outcome of the first; if the address is taken, neither is stored.
 */
export const insertWebsiteOnce = statement('insert_website_once', (p: Placeholders<Written<IdempotencyRecord>>) =>
  auditing(
    sql`
    insert into website (${WRITTEN_COLUMNS})
    select ${WRITTEN_COLUMNS} from ${rowsIn(p('rows'))} where exists (select from kept)`,
    p('audited'),
    sql`kept as (
      insert into store_record (account_id, key_hash, fingerprint, sealed_website, expires_at)
      select account_id, ${p('keyHash')}, ${p('fingerprint')}, ${p('sealedResponse')}, ${p('expiresAt')}::timestamptz
      from ${rowsIn(p('rows'))}
      on conflict (account_id, key_hash) do update set
        fingerprint = excluded.fingerprint,
        sealed_website = excluded.sealed_website,
        expires_at = excluded.expires_at
      where store_record.expires_at <= (select created_at from ${rowsIn(p('rows'))})
      returning 1
    ),`,
    p('deliverable'),
  ),
);

export const replaceWebsite = statement(
  'replace_website',
  (p: Placeholders<Owned<Written<{ id: string; expected: Date }>>>) =>
    auditing(
      sql`update website set (${WRITTEN_COLUMNS}) = (select ${WRITTEN_COLUMNS} from ${rowsIn(p('rows'))})
        where account_id = ${p('accountId')} and id = ${p('id')} and updated_at = ${p('expected')}`,
      p('audited'),
      sql``,
      p('deliverable'),
    ),
);

/** Deletes the website; `expected` is `null` for any version. */
export const deleteWebsite = statement(
  'delete_website',
  (p: Placeholders<Owned<Noted<{ id: string; expected: Date | null }>>>) =>
    auditing(
      sql`delete from website where account_id = ${p('accountId')} and id = ${p('id')}
        and updated_at = coalesce(${p('expected')}::timestamptz, updated_at)`,
      p('audited'),
      sql``,
      p('deliverable'),
    ),
);

export const moveWebsite = statement('move_website', (p: Placeholders<Owned<Noted<{ id: string; to: string }>>>) =>
  auditing(
    sql`update website set account_id = ${p('to')} where account_id = ${p('accountId')} and id = ${p('id')}`,
    p('audited'),
    sql``,
    p('deliverable'),
  ),
);

/** Who has the address of a website, in another account. */
export const findIdOfSameAddress = statement(
  'find_id_of_same_address',
  (p: Placeholders<Owned<{ id: string }>>) => sql<{
    id: string;
  }>`
    select taken.id from website join website taken using (address)
    where website.id = ${p('id')} and taken.account_id = ${p('accountId')} and taken.id <> website.id`,
);

/** Takes a website that has left the account out of all lists of websites. A webhook that then has none is turned off. */
export const forgetWebsite = (['api_key', 'member', 'invitation', 'webhook'] as const).map((table) =>
  statement(`forget_website_of_${table}`, (p: Placeholders<Owned<{ id: string }>>) => {
    const rest = sql`array_remove(website_ids, ${p('id')}::uuid)`;
    const version = sql`, updated_at = greatest(now(), updated_at + interval '1 millisecond')`;
    const more = { member: version, webhook: sql`${version}, is_active = is_active and ${rest} <> '{}'` };
    return sql`
      update ${sql.table(table)} set website_ids = ${rest} ${table in more ? more[table as keyof typeof more] : sql``}
      where account_id = ${p('accountId')} and ${p('id')}::uuid = any(website_ids)`;
  }),
);
