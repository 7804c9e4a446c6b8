/** The migrations since summaries, each with the statements that undo it. The last comes first. */
export const UNDO_MIGRATIONS: readonly (readonly [name: string, statements: string])[] = [
  [
    '0039-names-of-websites',
    `drop function note_website_names cascade; alter table website_alias drop column since; drop index website_by_host;
     alter table website drop column address_since, drop column host_since;
     create index website_by_host on website using hash (split_part(address, '/', 1))`,
  ],
  ['0038-local-secrets', 'drop table local_secret'],
  // What it replaced is gone.
  ['0037-audit-without-emails', 'select'],
  ['0036-unlogged-salts', 'alter table salt set logged; alter table salt alter column secret set statistics -1'],
  // What it replaced is gone.
  ['0035-readable-counts', 'select'],
  ['0034-followed-days', 'drop table followed_day'],
  ['0033-prepared-imports', 'drop table import_visit; drop table import_summary'],
  ['0032-imported-sums', 'drop table imported_sum'],
  ['0031-imported-logs', 'drop table import_log; drop table import_crawler_hit'],
  ['0030-logs', 'drop table log_checkpoint'],
  [
    '0029-imports',
    `drop table import_hit; drop table import_day; drop table import; alter table hit drop column import_number`,
  ],
  ['0028-hosts-of-websites', 'drop index website_by_host'],
  ['0027-alerts', 'drop table alert; alter table task drop column payload'],
  ['0026-webhooks', 'drop table webhook_delivery; drop table webhook'],
  ['0025-annotations', 'drop table annotation'],
  ['0024-crawlers', 'drop table crawler_hit'],
  ['0023-embed-origins', 'alter table website drop column embed_origins'],
  ['0022-shared-links', 'drop table shared_link'],
  ['0021-hit-journal', 'drop table journal_batch; drop table statistics_engine'],
  ['0020-audit', 'drop table audit_entry'],
  [
    '0019-website-aliases',
    `drop table website_alias; drop function keep_website_aliases cascade; alter table website drop column aliases`,
  ],
  [
    '0018-visit-columns',
    `drop table visit_columns; drop function leave_columns cascade;
     alter table website_day drop column in_columns`,
  ],
  [
    '0017-hosts-of-visits',
    `alter table visit drop column host; update visit set newest_kind = 18;
     update website_day set newest_kind = 18, running_zone = split_part(running_zone, ' ', 1);
     delete from summary where dimension > 18; delete from week_summary where dimension > 18;
     update week_summary set events = 18 where dimension = 0`,
  ],
  [
    '0016-newest-kinds',
    `drop function forget_newest_kind cascade; alter table visit drop column newest_kind;
     alter table website_day drop column newest_kind`,
  ],
  [
    '0015-tasks',
    `
  drop view report;
  drop table task;
  create table report (
    website_number bigint not null references website (number) on delete cascade,
    next_try timestamptz(3) not null,
    failed_at timestamptz(3),
    failures integer not null,
    week text collate "C" not null check (octet_length(week) = 8),
    state text collate "C" not null check (state in ('waiting', 'sent', 'skipped', 'failed')),
    detail text check (octet_length(detail) <= 2000),
    primary key (website_number, week)
  );
  create index report_waiting on report (week, next_try) where state = 'waiting'`,
  ],
  ['0014-website-time-zone', 'alter table website drop column time_zone'],
  ['0013-definitions', 'drop table definition'],
  ['0012-deleted-website-ids', 'alter table deleted_website drop column id'],
  ['0011-only-visits', 'alter table visit drop column is_only'],
  [
    '0010-week-summaries',
    `drop table week_summary; drop function leave_week_summary cascade;
     alter table website_day drop column in_week_summary`,
  ],
  ['0009-pages-of-visits', 'alter table visit drop column other_pages, drop column event_names'],
  [
    '0008-running-summaries',
    `drop function end_running_summary cascade;
     alter table website_day drop column visits, drop column appended, drop column running_zone`,
  ],
];

/** The statements that undo this migration and all later ones, so that `migrate` runs them again. */
export function undoFrom(name: string): string {
  const undone = UNDO_MIGRATIONS.filter(([other]) => other >= name);
  return `${undone.map(([, statements]) => statements).join(';\n')};
    delete from schema_migration where name >= '${name}'`;
}
