import { sql } from 'kysely';

export const visits = [
  // `other_pages` are the pages of its pageviews but the entry and the exit page, each once; `event_names` are as often there as
  // they happened. Both are null if there are too many. `is_only`: whether its visitor has no other visit on the day.
  sql`
    create table visit (
      website_number bigint not null,
      visitor bigint not null,
      started timestamptz(3) not null,
      ended timestamptz(3) not null,
      day date not null,
      pageviews integer not null,
      events integer not null,
      entry_page text collate "C",
      exit_page text collate "C",
      channel text collate "C" not null,
      source text collate "C",
      referrer text collate "C",
      utm_source text collate "C",
      utm_medium text collate "C",
      utm_campaign text collate "C",
      utm_content text collate "C",
      utm_term text collate "C",
      country text collate "C",
      language text collate "C",
      browser text collate "C",
      os text collate "C",
      device text collate "C" not null,
      host text collate "C" not null,
      other_pages text[] collate "C",
      event_names text[] collate "C",
      is_only boolean not null
    ) partition by range (day)`,
  sql`create table visit_default partition of visit default`,
  sql`create index visit_by_visitor on visit (website_number, day, visitor)`,
  sql`create index visit_by_day on visit using brin (day) with (pages_per_range = 32, autosummarize = on)`,
  // Visitors whose visits have to be recomputed, in any order and once per batch of hits. The table is read completely and emptied
  // continually, so an index would cost more than it saves.
  sql`
    create table changed_visitor (website_number bigint not null, visitor bigint not null, day date not null)
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`,

  // `visits` tells which days are large. `running_zone` is the time zone of the hours of a running summary, else null, and
  // `appended` is how many rows have been appended to it since it was last compacted.
  sql`
    create table website_day (
      website_number bigint not null,
      day date not null,
      summarised boolean not null,
      visits integer not null default 0,
      appended integer not null default 0,
      running_zone text collate "C" check (octet_length(running_zone) <= 255),
      in_week_summary boolean not null default false,
      in_columns boolean not null default false,
      primary key (website_number, day)
    )`,
  sql`create index website_day_to_summarise on website_day (day) where not summarised`,
  sql`create index website_day_running on website_day (day) where running_zone is not null`,
  sql`
    create index website_day_without_columns on website_day (day)
    where summarised and running_zone is null and not in_columns and visits >= 500`,
  sql`
    create table summary (
      website_number bigint not null,
      duration bigint not null,
      day date not null,
      visitors integer not null,
      visits integer not null,
      pageviews integer not null,
      events integer not null,
      bounces integer not null,
      visits_with_pageviews integer not null,
      dimension smallint not null,
      value text collate "C"
    )`,
  sql`create index summary_by_dimension on summary (website_number, dimension, day)`,
  // Sums of `summary` over whole weeks, from Monday.
  sql`
    create table week_summary (
      website_number bigint not null,
      week date not null,
      visitors integer not null,
      events integer not null,
      dimension smallint not null,
      value text collate "C"
    )`,
  sql`create index week_summary_by_dimension on week_summary (website_number, dimension, week)`,
  // The visits of days that are over, by columns: each row has many visits, and each column all their values.
  sql`
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
    )`,

  // A day that is no longer summarised has no running summary, and belongs to neither its week's sum nor its columns.
  sql`
    create function end_running_summary() returns trigger language plpgsql as $$ begin
      new.running_zone := null;
      return new;
    end $$`,
  sql`
    create trigger end_running_summary before update on website_day for each row
    when (not new.summarised and new.running_zone is not null)
    execute function end_running_summary()`,
  sql`
    create function leave_week_summary() returns trigger language plpgsql as $$ begin
      new.in_week_summary := false;
      return new;
    end $$`,
  sql`
    create trigger leave_week_summary before update on website_day for each row
    when (old.summarised is distinct from new.summarised or old.running_zone is distinct from new.running_zone)
    execute function leave_week_summary()`,
  sql`
    create function leave_columns() returns trigger language plpgsql as $$ begin
      new.in_columns := false;
      delete from visit_columns where website_number = old.website_number and day = old.day;
      return new;
    end $$`,
  sql`
    create trigger leave_columns before update on website_day for each row
    when (old.summarised is distinct from new.summarised or old.running_zone is distinct from new.running_zone)
    execute function leave_columns()`,
];
