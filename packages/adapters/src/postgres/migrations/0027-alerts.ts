import { type Kysely, sql } from 'kysely';

/** Alerts of websites. `state` is what is known since the last check; a mail of an alert is a task with its content. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table task add column payload json`.execute(db);
  await sql`
    create table alert (
      number bigint generated always as identity unique,
      id uuid primary key,
      website_number bigint not null references website (number) on delete cascade,
      rule text collate "C" not null check (octet_length(rule) <= 16),
      threshold integer,
      hours integer,
      percent integer,
      goal_id uuid,
      email boolean not null,
      webhooks boolean not null,
      state json not null,
      checked_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index alert_of_website on alert (website_number)`.execute(db);
  await sql`create index alert_checked on alert (checked_at nulls first)`.execute(db);
}
