import { type Kysely, sql } from 'kysely';

/** Notes about days of websites, with which they are deleted; of a day, their number is their order. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table annotation (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      day date not null,
      text text not null check (char_length(text) between 1 and 200),
      is_public boolean not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index annotation_of_website on annotation (website_number, day, number)`.execute(db);
}
