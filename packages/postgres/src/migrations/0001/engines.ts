import { sql } from 'kysely';

/** The journal of hits that are handed over to an engine outside of this database. */
export const engines = [
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
