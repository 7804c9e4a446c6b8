import { type Kysely, sql } from 'kysely';

/** The time zone of a website's days; null stands for the installation's, also where an earlier version adds a website. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table website add column time_zone text collate "C" check (octet_length(time_zone) <= 255)`.execute(db);
  // Few websites have one, and jobs ask which zones there are.
  await sql`create index website_by_time_zone on website (time_zone) where time_zone is not null`.execute(db);
}
