import { type Kysely, sql } from 'kysely';

/**
 * The visits of days that are over, by columns: each row has many visits, and each column all their values, so that a filter
 * reads little. A day counts as stored by columns while it is marked. A trigger removes the mark and the rows whenever the
 * visits of the day change, also by a version that does not know of columns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table visit_columns (
      website_number bigint not null,
      day date not null,
      part integer not null,
      visits integer not null,
      first_minute integer not null,
      repeats bytea,
      duration bytea,
      pageviews bytea,
      events bytea,
      minutes bytea,
      hits bytea,
      page_values bytea,
      event_values bytea,
      channel bytea,
      source bytea,
      referrer bytea,
      utm_source bytea,
      utm_medium bytea,
      utm_campaign bytea,
      utm_content bytea,
      utm_term bytea,
      country bytea,
      language bytea,
      browser bytea,
      os bytea,
      device bytea,
      host bytea,
      primary key (website_number, day, part)
    )`.execute(db);
  await sql`alter table website_day add column in_columns boolean not null default false`.execute(db);
  await sql`
    create index website_day_without_columns on website_day (day)
    where summarised and running_zone is null and not in_columns and visits >= 500`.execute(db);
  await sql`
    create function leave_columns() returns trigger language plpgsql as $$ begin
      new.in_columns := false;
      delete from visit_columns where website_number = old.website_number and day = old.day;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger leave_columns before update on website_day for each row
    when (old.summarised is distinct from new.summarised or old.running_zone is distinct from new.running_zone)
    execute function leave_columns()`.execute(db);
}
