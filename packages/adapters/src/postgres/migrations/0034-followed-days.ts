import { type Kysely, sql } from 'kysely';

/**
 * The days with hits of logs that are followed: they look like hits that a tracker has sent. Of logs that were followed before,
 * the days are not known, so they are all days of the website.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table followed_day (
      website_number bigint not null references website (number) on delete cascade,
      day date not null,
      primary key (website_number, day)
    )`.execute(db);
  await sql`
    insert into followed_day (website_number, day)
    select website_number, day from website_day where website_number in (
      select website_number from log_checkpoint place where not exists (
        select from import_log join import on import.number = import_number
        where import.website_number = place.website_number and import_log.log = place.log and read_to = checkpoint
      )
    )`.execute(db);
}
