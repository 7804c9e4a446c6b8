import { type Kysely, sql } from 'kysely';

/**
 * Summaries of days that are not over, which are kept equal to the visits by appending differences. To the version before,
 * such a day is a summarised one: it reopens the day when it changes a visit, and a trigger then ends the running summary.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `visits` tells which days are large. `running_zone` is the time zone of the hours of a running summary, else null, and
  // `appended` is how many rows have been appended to it since it was last compacted.
  await sql`
    alter table website_day
      add column visits integer not null default 0,
      add column appended integer not null default 0,
      add column running_zone text collate "C" check (octet_length(running_zone) <= 255)`.execute(db);
  await sql`create index website_day_running on website_day (day) where running_zone is not null`.execute(db);
  await sql`
    create function end_running_summary() returns trigger language plpgsql as $$ begin
      new.running_zone := null;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger end_running_summary before update on website_day for each row
    when (not new.summarised and new.running_zone is not null)
    execute function end_running_summary()`.execute(db);
}
