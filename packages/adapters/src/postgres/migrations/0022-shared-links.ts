import { type Kysely, sql } from 'kysely';

/**
 * Shared links to the statistics of websites, with which they are deleted; their number is their order. A segment that a link
 * shows cannot be deleted. The check waits for the end of the statement, so that a website goes with both.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table shared_link (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      token_hash text collate "C" not null unique check (octet_length(token_hash) = 64),
      name text collate "C" not null check (char_length(name) between 1 and 64),
      segment_id uuid constraint shared_link_segment references definition (id) on delete no action,
      expires_at timestamptz(3),
      password_hash text,
      created_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index shared_link_of_website on shared_link (website_number, number)`.execute(db);
  await sql`create index shared_link_of_segment on shared_link (segment_id) where segment_id is not null`.execute(db);
}
