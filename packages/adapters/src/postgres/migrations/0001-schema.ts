import { type Kysely, sql } from 'kysely';

/**
 * The schema of the first release. No column has a default where a rule of the domain decides. Statistics refer to a website by
 * its number and without a foreign key, because deleting a website must not wait for millions of hits; all else that belongs to
 * a website or an account is deleted with it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const make of [accounts, websites, resources, queues, hits, visits, imports, engines]) {
    for (const statement of make()) await statement.execute(db);
  }
}

const accounts = () => [
  sql`create extension if not exists pg_trgm`,
  sql`create extension if not exists btree_gin`,
  sql`
    create table account (
      id uuid primary key,
      name text collate "C" not null unique check (char_length(name) between 1 and 100),
      created_at timestamptz(3) not null,
      email text collate "C" check (octet_length(email) <= 254),
      email_since timestamptz(3),
      constraint account_email_since check ((email is null) = (email_since is null))
    )`,
  sql`
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
    )`,
  sql`create index api_key_by_account on api_key (account_id, created_at, id)`,
  // The sessions of the owner's pages; they end with their key.
  sql`
    create table session (
      hash text collate "C" primary key check (octet_length(hash) = 64),
      key_id uuid not null references api_key on delete cascade,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null
    )`,
  sql`create index session_by_key on session (key_id)`,
  sql`create index session_by_expiry on session (expires_at)`,
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
];

const websites = () => [
  // The primary key is also the order of an account's list, the newest first. An address has at most 2,041 bytes, so that an
  // entry of its index fits a page's limit of 2,704 even where it cannot be compressed. Nothing is stored twice, and the search
  // text only if it differs from the url: the shorter the rows, the faster a search. `number` is what hits refer to;
  // `lock_version` grows with every change of who may see the page, so that earlier unlocks end.
  sql`
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
      number bigint generated always as identity unique,
      lock_version integer not null default 0,
      email_since timestamptz(3),
      time_zone text collate "C" check (octet_length(time_zone) <= 255),
      aliases text[] collate "C" not null,
      embed_origins text[] collate "C" not null,
      address_since timestamptz default now(),
      host_since timestamptz default now(),
      primary key (account_id, id),
      constraint website_address_taken unique (account_id, address),
      constraint website_url_length check (octet_length(scheme) + 3 + octet_length(address) <= 2048),
      constraint website_password_required check (privacy <> 'password' or password_hash is not null),
      -- Hash indexes, which cannot sort: with an index by id in order, the planner would read other accounts' websites for lists.
      constraint website_id_taken exclude using hash (id with =)
    )`,
  sql`create index website_by_address on website using hash (address)`,
  // Other products' trackers name websites by their host, which may have many: the first is asked for.
  sql`
    create index website_by_host on website (split_part(address, '/', 1), host_since nulls first, created_at, number)`,
  sql`create index website_with_reports on website (number) where email_reports`,
  // Few websites have one, and jobs ask which zones there are.
  sql`create index website_by_time_zone on website (time_zone) where time_zone is not null`,
  // The text comes first, because the index evaluates columns in this order, and the list of an account's websites is long. The
  // account is included for terms that are frequent in other accounts.
  sql`
    create index website_by_search_text on website
    using gin ((coalesce(search_text, scheme || '://' || address)) gin_trgm_ops, account_id)`,
  sql`
    create function count_lock_change() returns trigger language plpgsql as $$ begin
      new.lock_version := old.lock_version + 1;
      return new;
    end $$`,
  sql`
    create trigger count_lock_change before update on website for each row
    when (old.privacy is distinct from new.privacy or old.password_hash is distinct from new.password_hash)
    execute function count_lock_change()`,
  // A name belongs to the account that had it first. A host with and without `www.` is the same name.
  sql`
    create function note_website_names() returns trigger language plpgsql as $$
    declare
      before text := regexp_replace(old.address, '^www\\.', '');
      after text := regexp_replace(new.address, '^www\\.', '');
    begin
      if before <> after then new.address_since := now(); end if;
      if split_part(before, '/', 1) <> split_part(after, '/', 1) then new.host_since := now(); end if;
      return new;
    end $$`,
  sql`
    create trigger note_names before update of address on website for each row
    when (new.address is distinct from old.address) execute function note_website_names()`,
  sql`
    create function note_email_since() returns trigger language plpgsql as $$ begin
      new.email_since := new.updated_at;
      return new;
    end $$`,
  sql`
    create trigger note_email_since_insert before insert on website for each row
    when (new.email_reports) execute function note_email_since()`,
  sql`
    create trigger note_email_since_update before update on website for each row
    when (new.email_reports and not old.email_reports) execute function note_email_since()`,

  // A website has its aliases in their order; a trigger keeps this table in step, in which an alias is unique and from which its
  // website is found. Aliases are added in one order, so that two transactions wait for each other instead of failing.
  sql`
    create table website_alias (
      alias text collate "C" not null check (octet_length(alias) between 1 and 255),
      website_number bigint not null references website (number) on delete cascade,
      since timestamptz default now(),
      constraint website_alias_taken primary key (alias)
    )`,
  sql`create index website_alias_of_website on website_alias (website_number)`,
  sql`
    create function keep_website_aliases() returns trigger language plpgsql as $$ begin
      delete from website_alias where website_number = new.number and alias <> all (new.aliases);
      insert into website_alias (alias, website_number)
      select given.alias, new.number from unnest(new.aliases) given (alias)
      where not exists (select from website_alias own where own.alias = given.alias and own.website_number = new.number)
      order by given.alias;
      return null;
    end $$`,
  sql`
    create trigger keep_aliases_of_new after insert on website for each row
    when (new.aliases <> '{}') execute function keep_website_aliases()`,
  sql`
    create trigger keep_aliases after update of aliases on website for each row
    when (new.aliases is distinct from old.aliases) execute function keep_website_aliases()`,

  // The numbers of deleted websites, for a job that purges their statistics, and their ids, by which an engine is told to forget
  // them. An id can be there twice: a website that was brought back can be deleted again.
  sql`
    create table deleted_website (
      number bigint primary key,
      id uuid not null,
      deleted_at timestamptz(3) not null,
      is_purged boolean not null default false
    )`,
  sql`create index deleted_website_by_id on deleted_website using hash (id)`,
  // Per statement, not per row: deleting an account may delete millions of websites.
  sql`
    create function keep_deleted_websites() returns trigger language plpgsql as $$ begin
      insert into deleted_website (number, id, deleted_at) select number, id, now() from changed;
      return null;
    end $$`,
  sql`
    create trigger keep_deleted after delete on website referencing old table as changed
    for each statement execute function keep_deleted_websites()`,

  // Instances are notified of changes and deletions, but not of new websites, because notifying transactions commit one after the
  // other. An empty payload stands for many websites.
  sql`
    create function notify_website_changed() returns trigger language plpgsql as $$ begin
      if (select count(*) from (select from changed limit 101) few) > 100 then
        perform pg_notify('website_changed', '');
      else
        perform pg_notify('website_changed', id::text) from changed;
      end if;
      return null;
    end $$`,
  sql`
    create trigger notify_updated after update on website referencing new table as changed
    for each statement execute function notify_website_changed()`,
  sql`
    create trigger notify_deleted after delete on website referencing old table as changed
    for each statement execute function notify_website_changed()`,
];

/** What belongs to a website or an account. The `number` of each is its order. */
const resources = () => [
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

const queues = () => [
  // Work that must be done at least once. What waits is tried at `due_at`, which a claim moves to the end of its lease. Each kind
  // has its own keys, which sort by time.
  sql`
    create table task (
      website_number bigint not null references website (number) on delete cascade,
      due_at timestamptz(3) not null,
      failed_at timestamptz(3),
      failures integer not null,
      key text collate "C" not null constraint task_key check (octet_length(key) <= 64),
      state text collate "C" not null constraint task_state check (octet_length(state) <= 16),
      detail text check (octet_length(detail) <= 2000),
      kind text collate "C" not null check (octet_length(kind) <= 16),
      payload json,
      primary key (website_number, kind, key)
    )`,
  sql`create index task_due on task (kind, due_at) where state = 'waiting'`,
  // A delivery is about a website that may be gone, so that `website_id` refers to nothing; it is null in tests.
  sql`
    create table webhook_delivery (
      number bigint generated always as identity primary key,
      id uuid not null unique,
      webhook_id uuid not null references webhook on delete cascade,
      website_id uuid,
      type text collate "C" not null check (octet_length(type) <= 32),
      at timestamptz(3) not null,
      data json not null,
      state text collate "C" not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
      attempts integer not null default 0,
      response_code integer,
      error text check (octet_length(error) <= 2000),
      attempted_at timestamptz(3),
      due_at timestamptz(3) not null,
      leased_until timestamptz(3)
    )`,
  sql`create index webhook_delivery_due on webhook_delivery (due_at) where state = 'pending'`,
  sql`create index webhook_delivery_waiting on webhook_delivery (webhook_id, website_id, number) where state = 'pending'`,
  sql`create index webhook_delivery_of_webhook on webhook_delivery (webhook_id, number)`,
  sql`create index webhook_delivery_by_time on webhook_delivery (at)`,
  // Who changed what. Entries of a deleted website stay, so that `website_id` refers to nothing. `json` keeps the order of members.
  sql`
    create table audit_entry (
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      website_id uuid,
      at timestamptz(3) not null,
      action text collate "C" not null check (octet_length(action) <= 64),
      actor json not null,
      request_id text check (octet_length(request_id) <= 1000),
      network text check (octet_length(network) <= 64),
      subject json not null,
      changes json not null
    )`,
  sql`create index audit_entry_of_account on audit_entry (account_id, at, id)`,
  sql`create index audit_entry_of_website on audit_entry (account_id, website_id, at, id)`,
  sql`create index audit_entry_by_time on audit_entry (at)`,
];

const hits = () => [
  // Long columns first, so that no row has padding. Each month has its own partition, created in advance.
  sql`
    create table hit (
      website_number bigint not null,
      visitor bigint not null,
      time timestamptz(3) not null,
      day date not null,
      host text collate "C" not null,
      page text collate "C" not null,
      channel text collate "C" not null,
      source text collate "C",
      referrer text collate "C",
      utm_source text collate "C",
      utm_medium text collate "C",
      utm_campaign text collate "C",
      utm_content text collate "C",
      utm_term text collate "C",
      country text collate "C",
      language text collate "C",
      browser text collate "C",
      os text collate "C",
      device text collate "C" not null,
      name text collate "C",
      props jsonb,
      import_number bigint
    ) partition by range (day)`,
  sql`create table hit_default partition of hit default`,
  sql`create index hit_by_visitor on hit (website_number, day, visitor)`,
  // Hits are written roughly in order of time, so a few bytes per group of pages suffice to find recent or old ones.
  sql`create index hit_by_time on hit using brin (time, day) with (pages_per_range = 32, autosummarize = on)`,
  // Raw hits and visits of earlier days are deleted or about to be; only their summaries count.
  sql`create table hit_retention (kept_from date not null)`,
  sql`insert into hit_retention values ('0001-01-01')`,
  // Batches whose outcome is unknown to their writer, which repeats them.
  sql`
    create table ingest_batch (
      id text collate "C" primary key check (octet_length(id) <= 255),
      added_at timestamptz not null
    )`,
  sql`create index ingest_batch_by_time on ingest_batch (added_at)`,
  // Batches that came with an Idempotency-Key.
  sql`
    create table hit_batch (
      key_hash text collate "C" primary key check (octet_length(key_hash) <= 64),
      fingerprint text collate "C" not null check (octet_length(fingerprint) <= 64),
      collected jsonb not null,
      expires_at timestamptz(3) not null
    )`,
  sql`create index hit_batch_by_expiry on hit_batch (expires_at)`,
  sql`
    create table dropped_hit (
      website_number bigint not null,
      day date not null,
      reason text collate "C" not null check (octet_length(reason) <= 64),
      hits bigint not null,
      primary key (website_number, day, reason)
    )`,
  // The sums of bots' hits: by operator and purpose (list 1), and by page, without a purpose (list 2).
  sql`
    create table crawler_hit (
      website_number bigint not null,
      hits bigint not null,
      hits_4xx bigint not null,
      day date not null,
      list smallint not null,
      purpose text collate "C" not null,
      value text collate "C" not null,
      primary key (website_number, day, list, value, purpose)
    )`,
  // Finds the days that are over, whose rare values are added up.
  sql`create index crawler_hit_by_day on crawler_hit using brin (day) with (autosummarize = on)`,
  // Neither the write-ahead log nor the planner's statistics have salts, where deleted ones would go on existing. A crash of
  // PostgreSQL empties the table.
  sql`
    create unlogged table salt (
      day date primary key,
      secret bytea not null check (octet_length(secret) = 32)
    )`,
  sql`alter table salt alter column secret set statistics 0`,
  // Secrets of this database alone, which no backup has.
  sql`
    create table local_secret (
      purpose text collate "C" primary key check (octet_length(purpose) <= 64),
      secret bytea not null check (octet_length(secret) = 32)
    )`,
  sql`
    create table secret (
      purpose text collate "C" primary key check (octet_length(purpose) <= 64),
      secret bytea not null check (octet_length(secret) = 32)
    )`,
];

const visits = () => [
  // `other_pages` are the pages of its pageviews but the entry and the exit page, each once; `event_names` are as often there as
  // they happened. Both are null if there are too many. `is_only`: whether its visitor has no other visit on the day.
  sql`
    create table visit (
      website_number bigint not null,
      visitor bigint not null,
      started timestamptz(3) not null,
      ended timestamptz(3) not null,
      day date not null,
      pageviews integer not null,
      events integer not null,
      entry_page text collate "C",
      exit_page text collate "C",
      channel text collate "C" not null,
      source text collate "C",
      referrer text collate "C",
      utm_source text collate "C",
      utm_medium text collate "C",
      utm_campaign text collate "C",
      utm_content text collate "C",
      utm_term text collate "C",
      country text collate "C",
      language text collate "C",
      browser text collate "C",
      os text collate "C",
      device text collate "C" not null,
      host text collate "C" not null,
      other_pages text[] collate "C",
      event_names text[] collate "C",
      is_only boolean not null
    ) partition by range (day)`,
  sql`create table visit_default partition of visit default`,
  sql`create index visit_by_visitor on visit (website_number, day, visitor)`,
  sql`create index visit_by_day on visit using brin (day) with (pages_per_range = 32, autosummarize = on)`,
  // Visitors whose visits have to be recomputed, in any order and once per batch of hits. The table is read completely and emptied
  // continually, so an index would cost more than it saves.
  sql`
    create table changed_visitor (website_number bigint not null, visitor bigint not null, day date not null)
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`,

  // `visits` tells which days are large. `running_zone` is the time zone of the hours of a running summary, else null, and
  // `appended` is how many rows have been appended to it since it was last compacted.
  sql`
    create table website_day (
      website_number bigint not null,
      day date not null,
      summarised boolean not null,
      visits integer not null default 0,
      appended integer not null default 0,
      running_zone text collate "C" check (octet_length(running_zone) <= 255),
      in_week_summary boolean not null default false,
      in_columns boolean not null default false,
      primary key (website_number, day)
    )`,
  sql`create index website_day_to_summarise on website_day (day) where not summarised`,
  sql`create index website_day_running on website_day (day) where running_zone is not null`,
  sql`
    create index website_day_without_columns on website_day (day)
    where summarised and running_zone is null and not in_columns and visits >= 500`,
  sql`
    create table summary (
      website_number bigint not null,
      duration bigint not null,
      day date not null,
      visitors integer not null,
      visits integer not null,
      pageviews integer not null,
      events integer not null,
      bounces integer not null,
      visits_with_pageviews integer not null,
      dimension smallint not null,
      value text collate "C"
    )`,
  sql`create index summary_by_dimension on summary (website_number, dimension, day)`,
  // Sums of `summary` over whole weeks, from Monday.
  sql`
    create table week_summary (
      website_number bigint not null,
      week date not null,
      visitors integer not null,
      events integer not null,
      dimension smallint not null,
      value text collate "C"
    )`,
  sql`create index week_summary_by_dimension on week_summary (website_number, dimension, week)`,
  // The visits of days that are over, by columns: each row has many visits, and each column all their values.
  sql`
    create table visit_columns (
      website_number bigint not null,
      day date not null,
      part integer not null,
      visits integer not null,
      first_minute integer not null,
      repeats bytea,
      duration bytea,
      pageviews bytea,
      events bytea,
      minutes bytea,
      hits bytea,
      page_values bytea,
      event_values bytea,
      channel bytea,
      source bytea,
      referrer bytea,
      utm_source bytea,
      utm_medium bytea,
      utm_campaign bytea,
      utm_content bytea,
      utm_term bytea,
      country bytea,
      language bytea,
      browser bytea,
      os bytea,
      device bytea,
      host bytea,
      primary key (website_number, day, part)
    )`,

  // A day that is no longer summarised has no running summary, and belongs to neither its week's sum nor its columns.
  sql`
    create function end_running_summary() returns trigger language plpgsql as $$ begin
      new.running_zone := null;
      return new;
    end $$`,
  sql`
    create trigger end_running_summary before update on website_day for each row
    when (not new.summarised and new.running_zone is not null)
    execute function end_running_summary()`,
  sql`
    create function leave_week_summary() returns trigger language plpgsql as $$ begin
      new.in_week_summary := false;
      return new;
    end $$`,
  sql`
    create trigger leave_week_summary before update on website_day for each row
    when (old.summarised is distinct from new.summarised or old.running_zone is distinct from new.running_zone)
    execute function leave_week_summary()`,
  sql`
    create function leave_columns() returns trigger language plpgsql as $$ begin
      new.in_columns := false;
      delete from visit_columns where website_number = old.website_number and day = old.day;
      return new;
    end $$`,
  sql`
    create trigger leave_columns before update on website_day for each row
    when (old.summarised is distinct from new.summarised or old.running_zone is distinct from new.running_zone)
    execute function leave_columns()`,
];

/**
 * Imports of files and the days that those which are done cover. The hits, visits and summaries of a running import are staged in
 * tables that need not survive a crash, and neither does such an import.
 */
const imports = () => [
  sql`
    create table import (
      number bigint generated always as identity primary key,
      id uuid not null unique,
      website_number bigint not null references website (number) on delete cascade,
      created_at timestamptz(3) not null,
      reported_at timestamptz(3) not null,
      format text collate "C" not null check (octet_length(format) <= 64),
      sha256 text collate "C" not null check (octet_length(sha256) = 64),
      status text collate "C" not null check (status in ('running', 'done', 'failed')),
      is_reading boolean not null default false,
      counts json not null,
      problem json
    )`,
  sql`create unique index import_of_file on import (website_number, sha256) where status <> 'failed'`,
  sql`create index import_running on import (reported_at) where status = 'running'`,
  sql`
    create table import_day (
      import_number bigint not null references import (number) on delete cascade,
      day date not null,
      hits bigint not null,
      primary key (import_number, day)
    )`,
  sql`create unlogged table import_hit (like hit)`,
  sql`create index import_hit_by_day on import_hit (import_number, day)`,
  sql`create unlogged table import_visit (like visit)`,
  sql`alter table import_visit add column import_number bigint not null`,
  sql`create unlogged table import_summary (like summary)`,
  sql`alter table import_summary add column import_number bigint not null`,
  // Sums of days that imports have brought, in the columns of `summary`; they count once their import is done. `gaps` are the bits
  // of numbers that are not exact.
  sql`
    create table imported_sum (
      website_number bigint not null,
      import_number bigint not null,
      duration bigint not null,
      day date not null,
      visitors integer not null,
      visits integer not null,
      pageviews integer not null,
      events integer not null,
      bounces integer not null,
      visits_with_pageviews integer not null,
      dimension smallint not null,
      gaps smallint not null,
      value text collate "C"
    )`,
  sql`create index imported_sum_by_dimension on imported_sum (website_number, dimension, day)`,
  // What imports of access logs have besides hits: which part of each log they read, and what crawlers asked for. Both count while
  // the import is done. The program writes the places.
  sql`
    create table import_log (
      import_number bigint not null references import (number) on delete cascade,
      log text collate "C" not null check (octet_length(log) <= 1020),
      read_from text,
      read_to text not null,
      primary key (import_number, log)
    )`,
  sql`
    create table import_crawler_hit (
      import_number bigint not null references import (number) on delete cascade,
      website_number bigint not null,
      hits bigint not null,
      hits_4xx bigint not null,
      day date not null,
      list smallint not null,
      purpose text collate "C" not null,
      value text collate "C" not null,
      primary key (website_number, day, list, value, purpose, import_number)
    )`,
  sql`create index import_crawler_hit_by_import on import_crawler_hit (import_number)`,
  // How far access logs have been read for a website, and the days with hits of logs that are followed: these look like hits that a
  // tracker has sent.
  sql`
    create table log_checkpoint (
      website_number bigint not null references website (number) on delete cascade,
      log text collate "C" not null check (octet_length(log) <= 1020),
      checkpoint text not null,
      primary key (website_number, log)
    )`,
  sql`
    create table followed_day (
      website_number bigint not null references website (number) on delete cascade,
      day date not null,
      primary key (website_number, day)
    )`,
];

/** The journal of hits that are handed over to an engine outside of this database. */
const engines = () => [
  // A batch is one row, whose hits are text: nothing reads a single one of them here.
  sql`
    create table journal_batch (
      number bigint generated always as identity primary key,
      added_at timestamptz not null default now(),
      hit_count integer not null,
      is_waiting boolean not null default true,
      website_numbers bigint[] not null,
      hits text collate "C" not null
    )`,
  sql`create index journal_batch_waiting on journal_batch (number) where is_waiting`,
  sql`create index journal_batch_by_time on journal_batch (added_at)`,
  // One row: which engine has the statistics, the one in this database or one outside, what this journal is known by there, and the
  // last version, which tells which of two results of the same work is the later one.
  sql`
    create table statistics_engine (
      is_outside boolean not null,
      journal_id uuid not null default gen_random_uuid(),
      version bigint not null default 0
    )`,
  sql`insert into statistics_engine (is_outside) values (false)`,
];
