import { type Kysely, sql } from 'kysely';

/**
 * The sums of bots' hits: by operator and purpose (list 1), and by page, without a purpose (list 2). Rows refer to a website
 * by its number and without a foreign key, like all statistics.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table crawler_hit (
      website_number bigint not null,
      hits bigint not null,
      hits_4xx bigint not null,
      day date not null,
      list smallint not null,
      purpose text collate "C" not null,
      value text collate "C" not null,
      primary key (website_number, day, list, value, purpose)
    )`.execute(db);
  // Finds the days that are over, whose rare values are added up.
  await sql`create index crawler_hit_by_day on crawler_hit using brin (day) with (autosummarize = on)`.execute(db);
}
