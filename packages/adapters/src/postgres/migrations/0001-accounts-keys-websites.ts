import { type Kysely, sql } from 'kysely';

/**
 * Accounts, their keys and websites, and the idempotency records. Deleting an account deletes all that it owns. No
 * column has a default: defaults are rules of the domain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db);
  await sql`create extension if not exists btree_gin`.execute(db);

  await sql`
    create table account (
      id uuid primary key,
      name text collate "C" not null unique check (char_length(name) between 1 and 100),
      created_at timestamptz(3) not null
    )`.execute(db);

  await sql`
    create table api_key (
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      hash text collate "C" not null unique check (octet_length(hash) = 64),
      scope text not null check (scope in ('read', 'write')),
      label text check (char_length(label) between 1 and 100),
      created_at timestamptz(3) not null,
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      last_used_at timestamptz(3)
    )`.execute(db);
  await sql`create index api_key_by_account on api_key (account_id, created_at, id)`.execute(db);

  // The primary key is also the order of an account's list, the newest first. An address has at most 2,041 bytes, so
  // that an entry of its index fits a page's limit of 2,704 even where it cannot be compressed. Nothing is stored
  // twice, and the search text only if it differs from the url: the shorter the rows, the faster a search.
  await sql`
    create table website (
      account_id uuid not null references account on delete cascade,
      id uuid not null,
      scheme text collate "C" not null check (scheme in ('http', 'https')),
      address text collate "C" not null check (address <> ''),
      search_text text collate "C" check (octet_length(search_text) <= 8192),
      privacy text not null check (privacy in ('public', 'private', 'password')),
      password_hash text check (octet_length(password_hash) <= 512),
      email_reports boolean not null,
      exclude_bots boolean not null,
      excluded_params text[] not null check (cardinality(excluded_params) <= 1000),
      excluded_ips text[] not null check (cardinality(excluded_ips) <= 1000),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (account_id, id),
      constraint website_address_taken unique (account_id, address),
      constraint website_url_length check (octet_length(scheme) + 3 + octet_length(address) <= 2048),
      constraint website_password_required check (privacy <> 'password' or password_hash is not null)
    )`.execute(db);
  // The text comes first, because the index evaluates columns in this order, and the list of an account's websites is
  // long. The account is included for terms that are frequent in other accounts.
  await sql`
    create index website_by_search_text on website
    using gin ((coalesce(search_text, scheme || '://' || address)) gin_trgm_ops, account_id)`.execute(db);

  await sql`
    create table store_record (
      account_id uuid not null references account on delete cascade,
      key_hash text collate "C" not null check (octet_length(key_hash) <= 128),
      fingerprint text not null check (octet_length(fingerprint) <= 128),
      sealed_website text not null,
      expires_at timestamptz(3) not null,
      primary key (account_id, key_hash)
    )`.execute(db);
  await sql`create index store_record_by_expiry on store_record (expires_at)`.execute(db);
}
