import { type Kysely, sql } from 'kysely';

/** The host of a visit's first hit. Visits that were made before do not know it (`newest_kind`). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table visit add column host text collate "C"`.execute(db);
}
