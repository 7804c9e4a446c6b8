import { sql } from 'kysely';

/** Imports of files and the days that those which are done cover. What they add counts once they are done. */
export const imports = [
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
  // Sums of days that imports have brought, a row for each value; they count once their import is done. `gaps` are the bits
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
