import { type Kysely, sql } from 'kysely';

/**
 * Imports of files, and the days that those which are done cover. The hits of a running import are staged apart, in a table that
 * need not survive a crash, and neither does such an import. Later each has the number of its import.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
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
    )`.execute(db);
  await sql`create unique index import_of_file on import (website_number, sha256) where status <> 'failed'`.execute(db);
  await sql`create index import_running on import (reported_at) where status = 'running'`.execute(db);
  await sql`
    create table import_day (
      import_number bigint not null references import (number) on delete cascade,
      day date not null,
      hits bigint not null,
      primary key (import_number, day)
    )`.execute(db);
  await sql`alter table hit add column import_number bigint`.execute(db);
  await sql`create unlogged table import_hit (like hit)`.execute(db);
  await sql`create index import_hit_by_day on import_hit (import_number, day)`.execute(db);
}
