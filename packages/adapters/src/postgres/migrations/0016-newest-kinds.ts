import { type Kysely, sql } from 'kysely';

/**
 * What visits and summaries have: the kinds with codes up to `newest_kind`. Versions that do not know the column wrote those up
 * to 18. A day that is no longer summarised loses what was said of its summary, so that such a version can summarise it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table visit add column newest_kind smallint not null default 18`.execute(db);
  await sql`alter table website_day add column newest_kind smallint not null default 18`.execute(db);
  await sql`
    create function forget_newest_kind() returns trigger language plpgsql as $$ begin
      new.newest_kind := 18;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger forget_newest_kind before update on website_day for each row
    when (not new.summarised and new.newest_kind <> 18) execute function forget_newest_kind()`.execute(db);
}
