import { sql } from 'kysely';

export const days = [
  // `hits` is how many a day has, but for those in `added_hits`. Numbers and columns count while the day has as many hits as when
  // they were made. `rewritten_in` is the last transaction that changed its hits in another way than by adding some.
  sql`
    create table website_day (
      website_number bigint not null,
      hits bigint not null,
      hits_in_numbers bigint not null default 0,
      hits_in_columns bigint not null default 0,
      rewritten_in bigint not null default 0,
      day date not null,
      primary key (website_number, day)
    )`,
  sql`create index website_day_to_count on website_day (day) where hits <> hits_in_numbers`,
  sql`create index website_day_without_columns on website_day (day) where hits <> hits_in_columns and hits >= 1000`,
  // How many hits a batch has added to a day: rows are added up continually. The table is read completely, so an index would cost
  // more than it saves.
  sql`
    create table added_hits (website_number bigint not null, day date not null, hits integer not null)
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`,
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
