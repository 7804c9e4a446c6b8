/** Undoes the migration `0015-tasks`; what was recorded is lost. */
export const UNDO_TASKS = `
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
  create index report_waiting on report (week, next_try) where state = 'waiting'`;
