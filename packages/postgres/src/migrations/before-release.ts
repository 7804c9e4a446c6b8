import { sql } from 'kysely';

/** The first and the last migration of the schemas before the first release, which one migration has replaced. */
const FIRST = '0001-accounts-keys-websites';
const LAST = '0035-readable-counts';

/** Whether these migrations are of a version before the first release. */
export function isBeforeRelease(executed: readonly string[]): boolean {
  return executed.includes(FIRST);
}

/** Whether they are of the last such version: its backups can be restored. */
export function isLastBeforeRelease(executed: readonly string[]): boolean {
  return isBeforeRelease(executed) && executed.at(-1) === LAST;
}

/** Whether a table, or a partition, of that version has nothing that cannot be made from hits, or nothing that is still asked for. */
export function isNeedless(table: string): boolean {
  return /^(visit(_.*)?|running_summary|week_summary|ingest_batch)$/.test(table);
}

/** The table for the rows of a table of that version, whose hits have partitions. */
export function tableOf(table: string): string {
  return /^hit_(default|\d{4}_\d\d)$/.test(table) ? 'hit' : table;
}

/** Adds the tables and columns that backups of that version have, and this schema has not. */
export const BEFORE_ROWS = [
  sql`
    alter table website_day
      alter column hits set default 0,
      add column newest_kind smallint, add column summarised boolean, add column in_week_summary boolean,
      add column in_columns boolean, add column visits integer, add column appended integer, add column running_zone text`,
  sql`alter table journal_batch alter column id set default gen_random_uuid()`,
  sql`
    create table hit (
      website_number bigint not null,
      visitor bigint not null,
      time timestamptz(3) not null,
      import_number bigint,
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
    )`,
  sql`create table changed_visitor (website_number bigint, visitor bigint, day date)`,
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
];

/** Notes how many hits days have, also in their numbers; the hits and the numbers are stored. */
export const AFTER_ROWS = [
  sql`
    insert into website_day (website_number, day, hits)
    select website_number, day, sum(hits) from book
    where code in (0, 3) and day >= (select kept_from from hit_retention) group by website_number, day
    on conflict (website_number, day) do update set hits = excluded.hits`,
  sql`
    update website_day set is_loose = true from (
      select website_number, day from book where code in (0, 3) and import_number = 0
      group by website_number, day having count(*) > 1
    ) scattered
    where website_day.website_number = scattered.website_number and website_day.day = scattered.day`,
  sql`
    update website_day set hits = of_day.hits from (
      select website_number, day, sum(pageviews + events) as hits from summary
      where dimension = 0 and day < (select kept_from from hit_retention) group by website_number, day
    ) of_day
    where website_day.website_number = of_day.website_number and website_day.day = of_day.day`,
  sql`
    update website_day set hits_in_numbers = hits
    where summarised and running_zone is null and (website_number, day) not in (
      select website_number, day from changed_visitor
    )`,
  sql`
    alter table website_day
      alter column hits drop default,
      drop column newest_kind, drop column summarised, drop column in_week_summary, drop column in_columns,
      drop column visits, drop column appended, drop column running_zone`,
  sql`alter table journal_batch alter column id drop default`,
  sql`drop table hit, summary, changed_visitor`,
  // The audit trail of that version has e-mail addresses.
  sql`
    update audit_entry set changes = (
      select json_agg(
        case when change ->> 'field' = 'email' then json_build_object(
          'field', 'email',
          'change', case
            when change ->> 'before' is null then 'set'
            when change ->> 'after' is null then 'removed'
            else 'changed'
          end
        ) else change end order by place
      )
      from json_array_elements(changes) with ordinality changed (change, place)
    )
    where action in ('account.created', 'account.updated') and json_array_length(changes) > 0`,
];
