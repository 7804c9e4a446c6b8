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

/** Adds the tables and columns that backups of that version have, and this schema has not. */
export const BEFORE_ROWS = [
  sql`alter table visit add column newest_kind smallint`,
  sql`
    alter table website_day
      add column newest_kind smallint, add column summarised boolean, add column in_week_summary boolean,
      add column in_columns boolean`,
  sql`alter table visit_columns alter column hits_of_day set default 0`,
  sql`create table summary (like running_summary)`,
  sql`create table week_summary (website_number bigint, week date, visitors integer, events integer, dimension smallint, value text)`,
];

/** Notes how many hits days have, also in their numbers and columns; the numbers are stored. */
export const AFTER_ROWS = [
  sql`
    update website_day set hits = of_day.hits, running_zone = null,
      hits_in_numbers = case when summarised and running_zone is null then of_day.hits else 0 end,
      hits_in_columns = case when in_columns then of_day.hits else 0 end
    from (
      select website_number, day, sum(pageviews + events) as hits from (
        select website_number, day, pageviews, events from visit where day >= (select kept_from from hit_retention)
        union all
        select website_number, day, pageviews, events from summary
        where dimension = 0 and day < (select kept_from from hit_retention)
      ) counted
      group by website_number, day
    ) of_day
    where website_day.website_number = of_day.website_number and website_day.day = of_day.day`,
  sql`
    update visit_columns set hits_of_day = website_day.hits from website_day
    where website_day.website_number = visit_columns.website_number and website_day.day = visit_columns.day and in_columns`,
  sql`alter table visit drop column newest_kind`,
  sql`
    alter table website_day
      drop column newest_kind, drop column summarised, drop column in_week_summary, drop column in_columns`,
  sql`alter table visit_columns alter column hits_of_day drop default`,
  sql`drop table summary, week_summary`,
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
