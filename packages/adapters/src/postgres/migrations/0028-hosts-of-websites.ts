import { type Kysely, sql } from 'kysely';

/** Finds websites by the host of their address, by which other products' trackers name them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index website_by_host on website using hash (split_part(address, '/', 1))`.execute(db);
}
