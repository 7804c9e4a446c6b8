import type { StoreRecord, Website } from '@hitherto/domain';
import { type Selectable, sql } from 'kysely';
import { build, once, type Placeholders, statement } from '../connection/statement.ts';
import type { WebsiteTable } from '../migrations/tables.ts';
import { toRow, WEBSITE_COLUMNS } from './website-row.ts';

type Owned<T = unknown> = { readonly accountId: string } & T;

export const findWebsite = statement('find_website', (p: Placeholders<Owned<{ id: string }>>) =>
  build
    .selectFrom('website')
    .select(WEBSITE_COLUMNS)
    .where('account_id', '=', p('accountId'))
    .where('id', '=', p('id')),
);

/** Who has an address. */
export const findIdByAddress = statement('find_id_by_address', (p: Placeholders<Owned<{ address: string }>>) =>
  build.selectFrom('website').select('id').where('account_id', '=', p('accountId')).where('address', '=', p('address')),
);

type RowParameters = ReturnType<typeof toRow>;

const ROW_COLUMNS = [
  'account_id',
  'id',
  'scheme',
  'address',
  'search_text',
  'privacy',
  'password_hash',
  'email_reports',
  'exclude_bots',
  'excluded_params',
  'excluded_ips',
  'created_at',
  'updated_at',
] as const;

export const insertWebsite = statement('insert_website', (p: Placeholders<RowParameters>) =>
  build.insertInto('website').values({
    account_id: p('account_id'),
    id: p('id'),
    scheme: p('scheme'),
    address: p('address'),
    search_text: p('search_text'),
    privacy: p('privacy'),
    password_hash: p('password_hash'),
    email_reports: p('email_reports'),
    exclude_bots: p('exclude_bots'),
    excluded_params: p('excluded_params'),
    excluded_ips: p('excluded_ips'),
    created_at: p('created_at'),
    updated_at: p('updated_at'),
  }),
);

/**
 * Adds several, passing over those whose address is taken; answers the ids of those that were added. They go in by their
 * address, so that of two statements with the same ones never both wait for the other.
 */
export const insertTogether = statement('insert_together', (p: Placeholders<{ rows: string }>) =>
  build
    .insertInto('website')
    .columns(ROW_COLUMNS)
    .expression(
      build
        .selectFrom(
          sql<Selectable<WebsiteTable>>`json_populate_recordset(null::website, ${p('rows')}::json)`.as<'added'>(
            sql`added`,
          ),
        )
        .select(ROW_COLUMNS)
        .orderBy('address'),
    )
    .onConflict((conflict) => conflict.columns(['account_id', 'address']).doNothing())
    .returning('id'),
);

/**
 * Adds the record and, only where that was added or took an expired one's place, the website. A concurrent insert of the
 * same record waits in the first part for the outcome of the one before; where the address is taken, neither stays.
 */
export const insertWebsiteOnce = statement('insert_website_once', (p: Placeholders<RowParameters & StoreRecord>) =>
  build
    .with('kept', (db) =>
      db
        .insertInto('store_record')
        .values({
          account_id: p('account_id'),
          key_hash: p('keyHash'),
          fingerprint: p('fingerprint'),
          sealed_website: p('sealedWebsite'),
          expires_at: p('expiresAt'),
        })
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'key_hash'])
            .doUpdateSet((eb) => ({
              fingerprint: eb.ref('excluded.fingerprint'),
              sealed_website: eb.ref('excluded.sealed_website'),
              expires_at: eb.ref('excluded.expires_at'),
            }))
            .where('store_record.expires_at', '<=', p('created_at')),
        )
        .returning('account_id'),
    )
    .insertInto('website')
    .columns(ROW_COLUMNS)
    .expression((eb) =>
      eb
        .selectFrom('kept')
        .select((row) => [
          row.ref('account_id').as('account_id'),
          row.cast<string>(p('id'), 'uuid').as('id'),
          p('scheme').as('scheme'),
          p('address').as('address'),
          p('search_text').as('search_text'),
          p('privacy').as('privacy'),
          p('password_hash').as('password_hash'),
          row.cast<boolean>(p('email_reports'), 'boolean').as('email_reports'),
          row.cast<boolean>(p('exclude_bots'), 'boolean').as('exclude_bots'),
          row.cast<string[]>(p('excluded_params'), sql`text[]`).as('excluded_params'),
          row.cast<string[]>(p('excluded_ips'), sql`text[]`).as('excluded_ips'),
          row.cast<Date>(p('created_at'), 'timestamptz').as('created_at'),
          row.cast<Date>(p('updated_at'), 'timestamptz').as('updated_at'),
        ]),
    ),
);

export const findStoreRecord = statement(
  'find_store_record',
  (p: Placeholders<Owned<{ keyHash: string; now: Date }>>) =>
    build
      .selectFrom('store_record')
      .select(['key_hash', 'fingerprint', 'sealed_website', 'expires_at'])
      .where('account_id', '=', p('accountId'))
      .where('key_hash', '=', p('keyHash'))
      .where('expires_at', '>', p('now')),
);

/**
 * Deletes so many of the records that have expired, the earliest first. That a record has expired is asked again of the
 * row itself: a store that takes an expired record's place meanwhile keeps it.
 */
export const deleteExpiredStoreRecords = statement(
  'delete_expired',
  (p: Placeholders<{ now: Date; limit: number }>) => {
    const expired = build
      .selectFrom('store_record')
      .select(sql`ctid`.as('ctid'))
      .where('expires_at', '<=', p('now'))
      .orderBy('expires_at')
      .limit(p('limit'));
    // By their places in the table, so that whatever is known of it no step reads more than its own rows.
    return build
      .deleteFrom('store_record')
      .where(sql<boolean>`ctid = any (array(${expired}))`)
      .where('expires_at', '<=', p('now'));
  },
);

export const replaceWebsite = statement('replace_website', (p: Placeholders<RowParameters & { expected: Date }>) =>
  build
    .updateTable('website')
    .set({
      scheme: p('scheme'),
      address: p('address'),
      search_text: p('search_text'),
      privacy: p('privacy'),
      password_hash: p('password_hash'),
      email_reports: p('email_reports'),
      exclude_bots: p('exclude_bots'),
      excluded_params: p('excluded_params'),
      excluded_ips: p('excluded_ips'),
      created_at: p('created_at'),
      updated_at: p('updated_at'),
    })
    .where('account_id', '=', p('account_id'))
    .where('id', '=', p('id'))
    .where('updated_at', '=', p('expected')),
);

export const deleteWebsite = statement('delete_website', (p: Placeholders<Owned<{ id: string }>>) =>
  build.deleteFrom('website').where('account_id', '=', p('accountId')).where('id', '=', p('id')),
);

export const deleteVersion = statement('delete_version', (p: Placeholders<Owned<{ id: string; expected: Date }>>) =>
  build
    .deleteFrom('website')
    .where('account_id', '=', p('accountId'))
    .where('id', '=', p('id'))
    .where('updated_at', '=', p('expected')),
);

/** Many at once, passing over those whose address is taken; answers the ids of those that were added. */
export function insertWebsites(websites: readonly { accountId: string; website: Website }[]) {
  return once(
    build
      .insertInto('website')
      .values(websites.map(({ accountId, website }) => toRow(accountId, website)))
      .onConflict((conflict) => conflict.columns(['account_id', 'address']).doNothing())
      .returning('id'),
  );
}
