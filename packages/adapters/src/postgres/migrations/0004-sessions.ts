import { type Kysely, sql } from 'kysely';

/** The sessions of the owner's pages; they end with their key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table session (
      hash text collate "C" primary key check (octet_length(hash) = 64),
      key_id uuid not null references api_key on delete cascade,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index session_by_key on session (key_id)`.execute(db);
  await sql`create index session_by_expiry on session (expires_at)`.execute(db);
}
