import { sql } from 'kysely';

/** The journal, which every hit is written to, and the engine that counts it. */
export const engines = [
  // A batch is a row, whose hits are text. It is known by the id of its commit, so one that is sent again is stored once; ids are of
  // version 7 and begin with the time. `is_waiting` is null unless an engine outside of this database gets the hits. `added_in` is the
  // transaction that added the batch, by which readers find those that came since they last looked.
  sql`
    create table journal_batch (
      number bigint generated always as identity,
      added_at timestamptz not null default now(),
      added_in bigint not null default pg_current_xact_id()::text::bigint,
      id uuid primary key,
      hit_count integer not null,
      is_waiting boolean,
      website_numbers bigint[] not null,
      hits text collate "C" not null
    )`,
  sql`create unique index journal_batch_outside on journal_batch (number) where is_waiting is not null`,
  sql`create index journal_batch_waiting on journal_batch (number) where is_waiting`,
  sql`create index journal_batch_by_time on journal_batch (added_at) where not is_waiting`,
  // The days of batches that wait for the engine in this database, and how many hits they get. The table is read completely, so an
  // index would cost more than it saves.
  sql`
    create table added_hits (batch_id uuid not null, website_number bigint not null, day date not null, hits integer not null)
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`,
  // One row: which engine has the statistics, the one in this database or one outside, what this journal is known by there, the
  // last version, which tells which of two results of the same work is the later one, and what the keys of values depend on.
  sql`
    create table statistics_engine (
      is_outside boolean not null,
      journal_id uuid not null default gen_random_uuid(),
      version bigint not null default 0,
      value_secret uuid not null default gen_random_uuid()
    )`,
  sql`insert into statistics_engine (is_outside) values (false)`,
];
