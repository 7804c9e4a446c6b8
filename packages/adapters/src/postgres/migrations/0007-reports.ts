import { type Kysely, sql } from 'kysely';

/**
 * Weekly reports: where they go, since when, and what became of each. Triggers note since when a website has them, so that
 * writes by a version that does not know the column count, too. Records of reports go with their website.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table account
      add column email text collate "C" check (octet_length(email) <= 254),
      add column email_since timestamptz(3),
      add constraint account_email_since check ((email is null) = (email_since is null))`.execute(db);

  await sql`alter table website add column email_since timestamptz(3)`.execute(db);
  await sql`
    create function note_email_since() returns trigger language plpgsql as $$ begin
      new.email_since := new.updated_at;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger note_email_since_insert before insert on website for each row
    when (new.email_reports) execute function note_email_since()`.execute(db);
  await sql`
    create trigger note_email_since_update before update on website for each row
    when (new.email_reports and not old.email_reports) execute function note_email_since()`.execute(db);
  await sql`create index website_with_reports on website (number) where email_reports`.execute(db);

  // What waits is tried at `next_try`, which a claim moves to the end of its lease.
  await sql`
    create table report (
      website_number bigint not null references website (number) on delete cascade,
      next_try timestamptz(3) not null,
      failed_at timestamptz(3),
      failures integer not null,
      week text collate "C" not null check (octet_length(week) = 8),
      state text collate "C" not null check (state in ('waiting', 'sent', 'skipped', 'failed')),
      detail text check (octet_length(detail) <= 2000),
      primary key (website_number, week)
    )`.execute(db);
  await sql`create index report_waiting on report (week, next_try) where state = 'waiting'`.execute(db);

  await sql`
    create table secret (
      purpose text collate "C" primary key check (octet_length(purpose) <= 64),
      secret bytea not null check (octet_length(secret) = 32)
    )`.execute(db);
}
