import { sql } from 'kysely';

export const accounts = [
  sql`create extension if not exists pg_trgm`,
  sql`create extension if not exists btree_gin`,
  sql`
    create table account (
      id uuid primary key,
      name text collate "C" not null unique check (char_length(name) between 1 and 100),
      created_at timestamptz(3) not null,
      email text collate "C" check (octet_length(email) <= 254),
      email_since timestamptz(3),
      requires_second_factor boolean not null default false,
      -- Of its public pages and mails; null for those of the product.
      brand_name text check (char_length(brand_name) between 1 and 100),
      brand_accent text collate "C" check (octet_length(brand_accent) = 7),
      -- The hash of the logo and its kind.
      logo_name text collate "C" check (octet_length(logo_name) <= 64),
      logo bytea check (octet_length(logo) <= 51200),
      constraint account_email_since check ((email is null) = (email_since is null)),
      constraint account_logo check ((logo is null) = (logo_name is null))
    )`,
  sql`create index account_by_logo on account (logo_name) where logo_name is not null`,
  sql`
    create table person (
      id uuid primary key,
      email text not null check (octet_length(email) <= 254),
      -- As it is compared.
      email_key text collate "C" not null constraint person_email_key unique,
      is_verified boolean not null,
      name text not null check (char_length(name) between 1 and 100),
      password_hash text check (octet_length(password_hash) <= 512),
      -- The issuer and the subject at a sign-in provider.
      identity jsonb,
      -- Of pages and mails; null if they have chosen none.
      language text collate "C" check (octet_length(language) <= 8),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      last_used_at timestamptz(3)
    )`,
  sql`create unique index person_identity on person ((identity ->> 'issuer'), (identity ->> 'subject'))`,
  sql`
    create table member (
      account_id uuid not null references account on delete cascade,
      person_id uuid not null references person on delete cascade,
      role text not null check (role in ('viewer', 'editor', 'owner')),
      -- The only websites that the member has; null for all of the account.
      website_ids uuid[],
      -- Whether a group at the sign-in provider made it.
      is_by_group boolean not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (account_id, person_id),
      constraint member_owns_all check (role <> 'owner' or website_ids is null)
    )`,
  sql`create index member_by_person on member (person_id, account_id)`,
  sql`
    create table api_key (
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      -- To whom it belongs; null for a key of the account.
      person_id uuid,
      -- The only websites that it is for; null for all.
      website_ids uuid[],
      hash text collate "C" not null unique check (octet_length(hash) = 64),
      scope text not null check (scope in ('read', 'write')),
      label text check (char_length(label) between 1 and 100),
      created_at timestamptz(3) not null,
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      last_used_at timestamptz(3),
      constraint api_key_of_member foreign key (account_id, person_id) references member on delete cascade
    )`,
  sql`create index api_key_by_account on api_key (account_id, created_at, id)`,
  sql`create index api_key_by_person on api_key (person_id, account_id) where person_id is not null`,
  sql`
    create table invitation (
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      -- Null for the link of the first start.
      email text check (octet_length(email) <= 254),
      email_key text collate "C",
      role text not null check (role in ('viewer', 'editor', 'owner')),
      website_ids uuid[],
      token_hash text collate "C" not null unique check (octet_length(token_hash) = 64),
      is_mailed boolean not null,
      invited_by text not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3),
      constraint invitation_of_address unique nulls not distinct (account_id, email_key)
    )`,
  // One-time links of people. The one for a new password is of whoever has verified the address.
  sql`
    create table person_link (
      token_hash text collate "C" primary key check (octet_length(token_hash) = 64),
      purpose text collate "C" not null check (purpose in ('password', 'sign_in', 'address')),
      person_id uuid references person on delete cascade,
      email text check (octet_length(email) <= 254),
      email_key text collate "C",
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null
    )`,
  sql`create index person_link_by_person on person_link (person_id)`,
  sql`create index person_link_by_email on person_link (email_key)`,
  // The sessions of the owner's pages; they end with their person or their key.
  sql`
    create table session (
      hash text collate "C" primary key check (octet_length(hash) = 64),
      key_id uuid references api_key on delete cascade,
      person_id uuid references person on delete cascade,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      last_used_at timestamptz(3) not null,
      browser text check (char_length(browser) <= 100),
      network text check (char_length(network) <= 100),
      constraint session_of check (num_nonnulls(key_id, person_id) = 1)
    )`,
  sql`create index session_by_key on session (key_id)`,
  sql`create index session_by_person on session (person_id)`,
  sql`create index session_by_expiry on session (expires_at)`,
  // Sign-ins that wait for the second factor.
  sql`
    create table pending_sign_in (
      hash text collate "C" primary key check (octet_length(hash) = 64),
      -- Null where a passkey will say who it is.
      person_id uuid references person on delete cascade,
      session_ms bigint not null,
      tries integer not null default 0,
      expires_at timestamptz(3) not null
    )`,
  sql`create index pending_sign_in_by_person on pending_sign_in (person_id)`,
  sql`
    create table second_factor (
      person_id uuid primary key references person on delete cascade,
      -- Of the app that makes codes, encrypted under SECRET_KEY.
      sealed_secret bytea not null check (octet_length(sealed_secret) <= 256),
      -- Of the code that was used last: each works once.
      step bigint not null,
      recovery_hashes text[] not null,
      since timestamptz(3) not null
    )`,
  sql`
    create table passkey (
      id text collate "C" primary key check (octet_length(id) <= 1400),
      person_id uuid not null references second_factor on delete cascade,
      name text not null check (char_length(name) between 1 and 50),
      public_key bytea not null check (octet_length(public_key) <= 4096),
      counter bigint not null,
      created_at timestamptz(3) not null
    )`,
  sql`create index passkey_by_person on passkey (person_id)`,
  sql`
    create table store_record (
      account_id uuid not null references account on delete cascade,
      key_hash text collate "C" not null check (octet_length(key_hash) <= 128),
      fingerprint text not null check (octet_length(fingerprint) <= 128),
      sealed_website text not null,
      expires_at timestamptz(3) not null,
      primary key (account_id, key_hash)
    )`,
  sql`create index store_record_by_expiry on store_record (expires_at)`,
  // Secrets of this database alone, which no backup has.
  sql`
    create table local_secret (
      purpose text collate "C" primary key check (octet_length(purpose) <= 64),
      secret bytea not null check (octet_length(secret) = 32)
    )`,
  // Which lists decided what is counted, since when.
  sql`
    create table release (
      number bigint generated always as identity primary key,
      version text collate "C" not null check (octet_length(version) <= 64),
      bots text collate "C" not null check (octet_length(bots) <= 64),
      sources text collate "C" not null check (octet_length(sources) <= 64),
      started_at timestamptz(3) not null
    )`,
  sql`
    create table secret (
      purpose text collate "C" primary key check (octet_length(purpose) <= 64),
      secret bytea not null check (octet_length(secret) = 32)
    )`,
];
