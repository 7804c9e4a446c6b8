import { type Kysely, sql } from 'kysely';

/**
 * The segments, goals and funnels of websites, which are deleted with their website. Their number, by which they are also
 * listed, is short enough for summaries to refer to. The content is `json`, which keeps the order of members.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table definition (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      kind text collate "C" not null check (kind in ('segment', 'goal', 'funnel')),
      name text collate "C" not null check (char_length(name) between 1 and 64),
      content json not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint definition_name_taken unique (website_number, kind, name)
    )`.execute(db);
}
