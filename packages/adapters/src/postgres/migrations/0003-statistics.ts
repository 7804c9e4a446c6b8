import { type Kysely, sql } from 'kysely';

/**
 * Hits, the visits made of them, and the summaries of days. Rows refer to a website by its number and without a foreign
 * key: deleting a website must not wait for millions of hits, which are purged in the background.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Long columns first, so that no row has padding. Each month has its own partition, created in advance.
  await sql`
    create table hit (
      website_number bigint not null,
      visitor bigint not null,
      time timestamptz(3) not null,
      day date not null,
      host text collate "C" not null,
      page text collate "C" not null,
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
      name text collate "C",
      props jsonb
    ) partition by range (day)`.execute(db);
  await sql`create table hit_default partition of hit default`.execute(db);
  await sql`create index hit_by_visitor on hit (website_number, day, visitor)`.execute(db);
  // Hits are written roughly in order of time, so a few bytes per group of pages suffice to find recent or old ones.
  await sql`create index hit_by_time on hit using brin (time, day) with (pages_per_range = 32, autosummarize = on)`.execute(
    db,
  );

  await sql`
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
      device text collate "C" not null
    ) partition by range (day)`.execute(db);
  await sql`create table visit_default partition of visit default`.execute(db);
  await sql`create index visit_by_visitor on visit (website_number, day, visitor)`.execute(db);
  await sql`create index visit_by_day on visit using brin (day) with (pages_per_range = 32, autosummarize = on)`.execute(
    db,
  );

  // Visitors whose visits have to be recomputed, in any order and once per batch of hits. The table is read completely
  // and emptied continually, so an index would cost more than it saves.
  await sql`
    create table changed_visitor (website_number bigint not null, visitor bigint not null, day date not null)
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`.execute(db);

  await sql`
    create table website_day (
      website_number bigint not null,
      day date not null,
      summarised boolean not null,
      primary key (website_number, day)
    )`.execute(db);
  await sql`create index website_day_to_summarise on website_day (day) where not summarised`.execute(db);

  await sql`
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
    )`.execute(db);
  await sql`create index summary_by_dimension on summary (website_number, dimension, day)`.execute(db);

  // Raw hits and visits of earlier days are deleted or about to be; only their summaries count.
  await sql`create table hit_retention (kept_from date not null)`.execute(db);
  await sql`insert into hit_retention values ('0001-01-01')`.execute(db);

  await sql`
    create table ingest_batch (
      id text collate "C" primary key check (octet_length(id) <= 255),
      added_at timestamptz not null
    )`.execute(db);
  await sql`create index ingest_batch_by_time on ingest_batch (added_at)`.execute(db);

  await sql`
    create table dropped_hit (
      website_number bigint not null,
      day date not null,
      reason text collate "C" not null check (octet_length(reason) <= 64),
      hits bigint not null,
      primary key (website_number, day, reason)
    )`.execute(db);

  // Whether a deleted website's statistics have been purged once; they are checked again later.
  await sql`alter table deleted_website add column is_purged boolean not null default false`.execute(db);

  await sql`
    create table salt (
      day date primary key,
      secret bytea not null check (octet_length(secret) = 32)
    )`.execute(db);
}
