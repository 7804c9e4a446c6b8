import { type Kysely, sql } from 'kysely';

/**
 * Keeps salts out of the write-ahead log and out of the planner's statistics, where deleted ones would go on existing. A crash of
 * PostgreSQL empties the table.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table salt set unlogged`.execute(db);
  // The same type: this deletes the statistics.
  await sql`alter table salt alter column secret type bytea`.execute(db);
  await sql`alter table salt alter column secret set statistics 0`.execute(db);
}
