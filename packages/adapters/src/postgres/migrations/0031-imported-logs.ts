import { type Kysely, sql } from 'kysely';

/**
 * What imports of access logs have besides hits: which part of each log they read, with its places as the program wrote them,
 * and what crawlers asked for, as in `crawler_hit`. Both count while the import is done.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table import_log (
      import_number bigint not null references import (number) on delete cascade,
      log text collate "C" not null check (octet_length(log) <= 1020),
      read_from text,
      read_to text not null,
      primary key (import_number, log)
    )`.execute(db);
  await sql`
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
    )`.execute(db);
  await sql`create index import_crawler_hit_by_import on import_crawler_hit (import_number)`.execute(db);
}
