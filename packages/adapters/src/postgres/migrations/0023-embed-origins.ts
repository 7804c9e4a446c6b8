import { type Kysely, sql } from 'kysely';

/** The origins whose pages may embed the statistics of a website. A version without the setting adds websites with none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table website add column embed_origins text[] collate "C" not null default '{}'`.execute(db);
}
