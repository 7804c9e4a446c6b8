import { type Kysely, sql } from 'kysely';

/**
 * Sums of `summary` over whole weeks, from Monday, so that lists of long periods have fewer rows to sum up. A sum counts
 * while all its seven days are marked. A trigger removes the mark, so that days which are summarised by a version that
 * does not know of weeks are read on their own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table week_summary (
      website_number bigint not null,
      week date not null,
      visitors integer not null,
      events integer not null,
      dimension smallint not null,
      value text collate "C"
    )`.execute(db);
  await sql`alter table website_day add column in_week_summary boolean not null default false`.execute(db);
  await sql`
    create function leave_week_summary() returns trigger language plpgsql as $$ begin
      new.in_week_summary := false;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger leave_week_summary before update on website_day for each row
    when (old.summarised is distinct from new.summarised or old.running_zone is distinct from new.running_zone)
    execute function leave_week_summary()`.execute(db);
  await sql`
    with whole as (
      select website_number, day - (extract(isodow from day)::integer - 1) as week from website_day
      where summarised and running_zone is null group by website_number, week having count(*) = 7
    )
    update website_day set in_week_summary = true from whole
    where website_day.website_number = whole.website_number and day between week and week + 6`.execute(db);
  await sql`
    insert into week_summary (website_number, week, dimension, value, visitors, events)
    select website_number, day - (extract(isodow from day)::integer - 1) as week, dimension, value,
      sum(visitors), sum(events)
    from website_day join summary using (website_number, day)
    where in_week_summary and dimension between 1 and 17
    group by website_number, week, dimension, value
    order by website_number, dimension, week`.execute(db);
  await sql`create index week_summary_by_dimension on week_summary (website_number, dimension, week)`.execute(db);
}
