import { type Kysely, sql } from 'kysely';

/**
 * What a visit has seen besides its first and last page, so that filters need not read its hits. Both are null for
 * visits that were made before, and those are still read from hits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The pages of its pageviews but the entry and the exit page, each once.
  await sql`alter table visit add column other_pages text[] collate "C"`.execute(db);
  // The names of its events, as often as they happened.
  await sql`alter table visit add column event_names text[] collate "C"`.execute(db);
}
