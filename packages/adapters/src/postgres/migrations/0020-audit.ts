import { type Kysely, sql } from 'kysely';

/**
 * Who changed what. Entries are written with the changes; those of a deleted website stay, so that `website_id` refers to
 * nothing. The actor, the subject and the changes are `json`, which keeps the order of members.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_entry (
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      website_id uuid,
      at timestamptz(3) not null,
      action text collate "C" not null check (octet_length(action) <= 64),
      actor json not null,
      request_id text check (octet_length(request_id) <= 1000),
      network text check (octet_length(network) <= 64),
      subject json not null,
      changes json not null
    )`.execute(db);
  await sql`create index audit_entry_of_account on audit_entry (account_id, at, id)`.execute(db);
  await sql`create index audit_entry_of_website on audit_entry (account_id, website_id, at, id)`.execute(db);
  await sql`create index audit_entry_by_time on audit_entry (at)`.execute(db);
}
