import { sql } from 'kysely';

export const days = [
  // `hits` is how many a day has, but for those in `added_hits`. Numbers count while the day has as many hits as when they
  // were made. `is_loose`: a part of the day has hits of visitors that other parts have, too. `rewritten_in` is the last transaction that changed its hits in another way than by adding some.
  sql`
    create table website_day (
      website_number bigint not null,
      hits bigint not null,
      hits_in_numbers bigint not null default 0,
      rewritten_in bigint not null default 0,
      day date not null,
      is_loose boolean not null default false,
      primary key (website_number, day)
    )`,
  sql`create index website_day_to_count on website_day (day) where hits <> hits_in_numbers`,
  sql`create index website_day_to_join on website_day (day) where is_loose`,
  // The numbers of days that are over, and of months that are: a row for each kind, whose values are added up by their keys.
  // Small days have only the kind `total`.
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
  // Hits of days by columns, those of each visitor together, but for parts of days that are not over. Hits of imports count once their
  // import is done. A row has a column of a part, or all columns of a small one. Import 0 stands for collected hits. Rows are never updated.
  sql`
    create table book (
      website_number bigint not null,
      import_number bigint not null,
      first_time double precision not null,
      last_time double precision not null,
      day date not null,
      part integer not null,
      hits integer not null,
      visits integer not null,
      code smallint not null,
      bytes bytea not null,
      primary key (website_number, day, import_number, part, code)
    )`,
  sql`alter table book alter column bytes set storage external`,
];
