import { sql } from 'kysely';

/** What belongs to a website or an account. The `number` of each is its order. */
export const resources = [
  // Segments, goals and funnels. Summaries refer to them by number. The content is `json`, which keeps the order of members.
  sql`
    create table definition (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      kind text collate "C" not null check (kind in ('segment', 'goal', 'funnel')),
      name text collate "C" not null check (char_length(name) between 1 and 64),
      content json not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint definition_name_taken unique (website_number, kind, name)
    )`,
  // A segment that a link shows cannot be deleted. The check waits for the end of the statement, so that a website goes with both.
  sql`
    create table shared_link (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      token_hash text collate "C" not null unique check (octet_length(token_hash) = 64),
      name text collate "C" not null check (char_length(name) between 1 and 64),
      segment_id uuid constraint shared_link_segment references definition (id) on delete no action,
      expires_at timestamptz(3),
      password_hash text,
      created_at timestamptz(3) not null
    )`,
  sql`create index shared_link_of_website on shared_link (website_number, number)`,
  sql`create index shared_link_of_segment on shared_link (segment_id) where segment_id is not null`,
  sql`
    create table annotation (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      day date not null,
      text text not null check (char_length(text) between 1 and 200),
      is_public boolean not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`,
  sql`create index annotation_of_website on annotation (website_number, day, number)`,
  // The content is that of a segment. Reads leave out what is not applying; numbers of days follow from it.
  sql`
    create table cleanup (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      name text collate "C" not null check (char_length(name) between 1 and 64),
      content json not null,
      first_day date,
      last_day date,
      status text collate "C" not null check (status in ('applying', 'active', 'undoing', 'erasing')),
      hidden json,
      erased_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint cleanup_name_taken unique (website_number, name)
    )`,
  sql`create index cleanup_waiting on cleanup (number) where status <> 'active'`,
  // Addresses beside those of members that get reports. The key is the address as it is compared.
  sql`
    create table recipient (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      email text not null check (octet_length(email) <= 254),
      email_key text collate "C" not null,
      asked_at timestamptz(3),
      confirmed_at timestamptz(3),
      created_at timestamptz(3) not null,
      constraint recipient_taken unique (website_number, email_key)
    )`,
  sql`create index recipient_to_ask on recipient (email_key, number) where asked_at is null and confirmed_at is null`,
  // When an address was last asked, by whomever: no other mail asks it on the same day.
  sql`
    create table asked_address (
      email_key text collate "C" primary key,
      at timestamptz(3) not null
    )`,
  // `state` is what is known since the last check; a mail of an alert is a task with its content.
  sql`
    create table alert (
      number bigint generated always as identity unique,
      id uuid primary key,
      website_number bigint not null references website (number) on delete cascade,
      rule text collate "C" not null check (octet_length(rule) <= 16),
      threshold integer,
      hours integer,
      percent integer,
      goal_id uuid,
      email boolean not null,
      webhooks boolean not null,
      state json not null,
      checked_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`,
  sql`create index alert_of_website on alert (website_number)`,
  sql`create index alert_checked on alert (checked_at nulls first)`,
  // What checks have found, and up to which day websites were checked.
  sql`
    create table finding (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      rule text collate "C" not null check (octet_length(rule) <= 32),
      subject text collate "C" not null,
      since date not null,
      size double precision not null,
      evidence json not null,
      status text collate "C" not null check (status in ('open', 'fixed', 'dismissed')),
      opened_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`,
  sql`create unique index finding_of_website on finding (website_number, rule, md5(subject))`,
  sql`create index finding_open on finding (website_number) where status = 'open'`,
  sql`create index finding_fixed on finding (updated_at) where status = 'fixed'`,
  sql`
    create table checked_website (
      website_number bigint primary key references website (number) on delete cascade,
      day date not null
    )`,
  // Coverage by uploaded logs; without a result or a problem while they are read.
  sql`
    create table coverage_report (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      coverage json,
      problem json,
      created_at timestamptz(3) not null
    )`,
  sql`create index coverage_report_of_website on coverage_report (website_number, number)`,
  sql`create index coverage_report_created on coverage_report (created_at)`,
  // The program encrypts URLs and secrets.
  sql`
    create table webhook (
      number bigint generated always as identity unique,
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      format text collate "C" not null check (octet_length(format) <= 16),
      sealed_url bytea not null check (octet_length(sealed_url) <= 4096),
      sealed_secret bytea check (octet_length(sealed_secret) <= 256),
      events text[] not null,
      website_ids uuid[],
      is_active boolean not null,
      failing_since timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`,
  sql`create index webhook_of_account on webhook (account_id)`,
];
