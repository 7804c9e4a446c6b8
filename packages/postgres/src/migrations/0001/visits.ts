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

  // `visits` and `hits` are how many `visit` has. Numbers and columns count while the day has as many hits as when they were
  // made. `running_zone` is the time zone of the hours of a running summary, else null, and `appended` is how
  // many rows have been appended to it since it was last compacted.
  sql`
    create table website_day (
      website_number bigint not null,
      hits bigint not null default 0,
      hits_in_numbers bigint not null default 0,
      hits_in_columns bigint not null default 0,
      day date not null,
      visits integer not null default 0,
      appended integer not null default 0,
      running_zone text collate "C" check (octet_length(running_zone) <= 255),
      primary key (website_number, day)
    )`,
  sql`create index website_day_to_count on website_day (day) where hits <> hits_in_numbers`,
  sql`create index website_day_running on website_day (day) where running_zone is not null`,
  sql`
    create index website_day_without_columns on website_day (day)
    where hits = hits_in_numbers and hits <> hits_in_columns and visits >= 500`,
  // The numbers of days that are over, and of months that are: a row for each kind, whose values are added up by their keys.
  sql`
    create table day_numbers (
      website_number bigint not null,
      day date not null,
      size integer not null,
      kind smallint not null,
      is_month boolean not null,
      keys bytea not null,
      rest bytea not null,
      strings text collate "C" not null,
      primary key (website_number, is_month, day, kind)
    )`,
  // The numbers of large days that are not over, and their changes: rows of a value are added up.
  sql`
    create table running_summary (
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
  sql`create index running_summary_by_dimension on running_summary (website_number, dimension, day)`,
  // The visits of days that are over, by columns: each row has many visits, and each column all their values. `hits_of_day`
  // is how many the day had when the row was made.
  sql`
    create table visit_columns (
      website_number bigint not null,
      hits_of_day bigint not null,
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
];
