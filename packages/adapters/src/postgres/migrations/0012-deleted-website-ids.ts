import { type Kysely, sql } from 'kysely';

/** The ids of deleted websites, by which an engine is told to forget them. Those of earlier ones are made up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deleted_website add column id uuid not null default gen_random_uuid()`.execute(db);
  await sql`alter table deleted_website alter column id drop default`.execute(db);
  // An id can be there twice: a website that an import brought back can be deleted again.
  await sql`create index deleted_website_by_id on deleted_website using hash (id)`.execute(db);
  await sql`
    create or replace function keep_deleted_websites() returns trigger language plpgsql as $$ begin
      insert into deleted_website (number, id, deleted_at) select number, id, now() from changed;
      return null;
    end $$`.execute(db);
}
