import { sql } from 'kysely';

export const hits = [
  // Hits of earlier days are deleted or about to be; only their numbers count.
  sql`create table hit_retention (kept_from date not null)`,
  sql`insert into hit_retention values ('0001-01-01')`,
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
