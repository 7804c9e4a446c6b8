import type { Account, AccountChanges, ApiKey, Role } from '@hitherto/domain/access';
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { auditing } from '../changes.ts';
import { build, columnsOf, once, type Placeholders, statement } from '../connection/statement.ts';
import type { AccountTable, ApiKeyTable } from '../migrations/tables.ts';

const ACCOUNT_COLUMNS = [
  'id',
  'name',
  'created_at',
  'email',
  'email_since',
  'requires_second_factor',
  'brand_name',
  'brand_accent',
  'logo_name',
] as const;

type AccountRow = Pick<Selectable<AccountTable>, (typeof ACCOUNT_COLUMNS)[number]>;

/** A key, with the rights that its member has now. */
interface KeyRow extends Omit<ApiKey, 'member'> {
  readonly personId: string | null;
  readonly role: Role | null;
  readonly websiteIds: readonly string[] | null;
}

const KEY = sql`
  api_key.id, api_key.account_id as "accountId", api_key.website_ids as "limitedTo", hash, scope, label,
  api_key.created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt",
  api_key.person_id as "personId", member.role, member.website_ids as "websiteIds"
  from api_key left join member on member.account_id = api_key.account_id and member.person_id = api_key.person_id`;

export function toAccount({ email, email_since, ...row }: AccountRow): Account {
  const given = email === null || email_since === null ? null : { address: email, since: email_since };
  const { id, name, created_at: createdAt, requires_second_factor: requiresSecondFactor } = row;
  const brand = { name: row.brand_name, accent: row.brand_accent, logo: row.logo_name };
  return { id, name, createdAt, email: given, requiresSecondFactor, brand };
}

export function toKey({ personId, role, websiteIds, ...key }: KeyRow): ApiKey {
  // A key goes with its member, so that there is always a role.
  return { ...key, member: personId === null || role === null ? null : { personId, role, websiteIds } };
}

function toKeyRow(key: ApiKey): Insertable<ApiKeyTable> {
  return {
    id: key.id,
    account_id: key.accountId,
    person_id: key.member?.personId ?? null,
    website_ids: key.limitedTo?.slice() ?? null,
    hash: key.hash,
    scope: key.scope,
    label: key.label,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
  };
}

function toAccountRow({ id, createdAt, ...changes }: Account): Readonly<Record<string, unknown>> {
  return { id, created_at: createdAt, ...toChangedRow(changes) };
}

/** The columns of the fields that are there. */
function toChangedRow({
  name,
  email,
  requiresSecondFactor,
  brand,
  logo,
}: AccountChanges): Readonly<Record<string, unknown>> {
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email: email?.address ?? null, email_since: email?.since ?? null }),
    ...(requiresSecondFactor !== undefined && { requires_second_factor: requiresSecondFactor }),
    ...(brand && { brand_name: brand.name, brand_accent: brand.accent, logo_name: brand.logo }),
    ...(logo !== undefined && { logo: logo && Buffer.from(logo) }),
  };
}

/** Inserts an account, and its entry of the audit trail. */
export function insertAccount(account: Account, audited: string) {
  return once(insertOne('account', toAccountRow(account), audited));
}

/** Inserts a key, and its entry of the audit trail. */
export function insertKey(key: ApiKey, audited: string) {
  return once(insertOne('api_key', toKeyRow(key), audited));
}

function insertOne(table: string, row: Readonly<Record<string, unknown>>, audited: string): RawBuilder<unknown> {
  const values = sql.join(Object.values(row));
  return auditing(
    sql`insert into ${sql.table(table)} (${columnsOf(Object.keys(row))}) values (${values})`,
    sql`${audited}`,
  );
}

export function listAccounts() {
  return once(build.selectFrom('account').select(ACCOUNT_COLUMNS).orderBy('name'));
}

export const findAccountById = statement('find_account_by_id', (p: Placeholders<{ id: string }>) =>
  build.selectFrom('account').select(ACCOUNT_COLUMNS).where('id', '=', p('id')),
);

export const findAccountByName = statement('find_account_by_name', (p: Placeholders<{ name: string }>) =>
  build.selectFrom('account').select(ACCOUNT_COLUMNS).where('name', '=', p('name')),
);

export function updateAccount(id: string, changes: AccountChanges, audited: string) {
  const set = Object.entries({ id, ...toChangedRow(changes) }).map(
    ([column, value]) => sql`${sql.ref(column)} = ${value}`,
  );
  return once(auditing(sql`update account set ${sql.join(set)} where id = ${id}`, sql`${audited}`));
}

export const findLogo = statement('find_logo', (p: Placeholders<{ name: string }>) =>
  build.selectFrom('account').select('logo').where('logo_name', '=', p('name')).limit(1),
);

export const deleteAccount = statement('delete_account', (p: Placeholders<{ id: string }>) =>
  build.deleteFrom('account').where('id', '=', p('id')),
);

const ORDER = sql`order by api_key.created_at, api_key.id`;

export const listKeys = statement(
  'list_keys',
  (p: Placeholders<{ accountId: string }>) => sql<KeyRow>`
    select ${KEY} where api_key.account_id = ${p('accountId')} ${ORDER}`,
);

export const listKeysOfPerson = statement(
  'list_keys_of_person',
  (p: Placeholders<{ personId: string }>) => sql<KeyRow>`
    select ${KEY} where api_key.person_id = ${p('personId')} ${ORDER}`,
);

export const findKeyByHash = statement(
  'find_key_by_hash',
  (p: Placeholders<{ hash: string }>) => sql<KeyRow>`select ${KEY} where hash = ${p('hash')}`,
);

export const findKey = statement(
  'find_key',
  (p: Placeholders<{ id: string }>) => sql<KeyRow>`select ${KEY} where api_key.id = ${p('id')}`,
);

/** The keys of a person are added one after the other, so that there are not too many. */
export const lockPerson = statement(
  'lock_person_for_key',
  (p: Placeholders<{ personId: string }>) => sql`select from person where id = ${p('personId')} for no key update`,
);

export const countKeysOfPerson = statement(
  'count_keys_of_person',
  (p: Placeholders<{ personId: string; now: Date }>) => sql<{ count: number }>`
    select count(*)::integer as count from api_key
    where person_id = ${p('personId')} and revoked_at is null and (expires_at is null or expires_at > ${p('now')})`,
);

export const revokeKey = statement('revoke_key', (p: Placeholders<{ id: string; now: Date; audited: string }>) =>
  auditing(sql`update api_key set revoked_at = coalesce(revoked_at, ${p('now')}) where id = ${p('id')}`, p('audited')),
);

export const recordKeyUse = statement('record_key_use', (p: Placeholders<{ ids: string[]; times: Date[] }>) =>
  build
    .updateTable('api_key')
    .from(
      sql<{ id: string; time: Date }>`unnest(${p('ids')}::uuid[], ${p('times')}::timestamptz[])`.as<'used'>(
        sql`used (id, time)`,
      ),
    )
    .set((eb) => ({ last_used_at: eb.ref('used.time') }))
    .whereRef('api_key.id', '=', 'used.id')
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', eb.ref('used.time'))])),
);
