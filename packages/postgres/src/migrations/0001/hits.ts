import { sql } from 'kysely';

export const hits = [
  // Collected hits until their day is over, and late ones: then they are in `book`. Long columns first, so that no row has padding.
  // `view` is the number of a pageview that may be measured; a row with `seconds` is no hit, but the measure of such a pageview.
  // `added_in` is the transaction that added the hit, by which readers find those that came since they last looked. Rows are deleted
  // as often as added, so they are vacuumed early.
  sql`
    create table hit (
      website_number bigint not null,
      visitor bigint not null,
      time timestamptz(3) not null,
      day date not null,
      view integer,
      seconds smallint,
      scroll smallint,
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
      network text collate "C",
      name text collate "C",
      props jsonb,
      added_in bigint not null default pg_current_xact_id()::text::bigint
    ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 10000)`,
  sql`create index hit_by_day on hit (website_number, day, added_in)`,
  // Hits of earlier days are deleted or about to be; only their numbers count.
  sql`create table hit_retention (kept_from date not null)`,
  sql`insert into hit_retention values ('0001-01-01')`,
  // Batches whose outcome may be unknown to their writer, which repeats them. Ids are of version 7: they begin with the time.
  sql`create table ingest_batch (id uuid primary key)`,
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
  // What checks need to know of hits: hosts that were dropped, groups of networks, repeated pageviews.
  sql`
    create table noted_hit (
      website_number bigint not null,
      day date not null,
      kind text collate "C" not null check (octet_length(kind) <= 16),
      value text collate "C" not null check (octet_length(value) <= 1024),
      hits bigint not null,
      primary key (website_number, day, kind, value)
    )`,
  sql`create index noted_hit_by_day on noted_hit (day)`,
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
];
