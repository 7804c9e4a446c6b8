import { type Kysely, sql } from 'kysely';

/** Batches of hits that came with an Idempotency-Key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table hit_batch (
      key_hash text collate "C" primary key check (octet_length(key_hash) <= 64),
      fingerprint text collate "C" not null check (octet_length(fingerprint) <= 64),
      collected jsonb not null,
      expires_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index hit_batch_by_expiry on hit_batch (expires_at)`.execute(db);
}
