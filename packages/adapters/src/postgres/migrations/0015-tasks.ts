import { type Kysely, sql } from 'kysely';

/**
 * The queue of tasks, made of the table of reports. The version before goes on with reports by the view of that name: it sees
 * and writes the same rows, so that no report is sent by both.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table report rename to task`.execute(db);
  await sql`alter table task rename column week to key`.execute(db);
  // What waits is tried at `due_at`, which a claim moves to the end of its lease.
  await sql`alter table task rename column next_try to due_at`.execute(db);
  // Each kind has its own keys, which sort by time. The default is for the view.
  await sql`
    alter table task
      drop constraint report_pkey,
      drop constraint report_week_check,
      drop constraint report_state_check,
      add column kind text collate "C" not null default 'report' check (octet_length(kind) <= 16),
      add constraint task_key check (octet_length(key) <= 64),
      add constraint task_state check (octet_length(state) <= 16),
      add primary key (website_number, kind, key)`.execute(db);
  await sql`drop index report_waiting`.execute(db);
  await sql`create index task_due on task (kind, due_at) where state = 'waiting'`.execute(db);
  await sql`
    create view report as
    select website_number, due_at as next_try, failed_at, failures, key as week, state, detail
    from task where kind = 'report'`.execute(db);
}
