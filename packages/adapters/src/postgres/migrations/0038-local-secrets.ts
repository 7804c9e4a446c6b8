import { type Kysely, sql } from 'kysely';

/** Secrets of this database alone, which no backup has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table local_secret (
      purpose text collate "C" primary key check (octet_length(purpose) <= 64),
      secret bytea not null check (octet_length(secret) = 32)
    )`.execute(db);
}
