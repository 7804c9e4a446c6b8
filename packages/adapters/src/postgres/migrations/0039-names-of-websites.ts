import { type Kysely, sql } from 'kysely';

/**
 * Since when a website has its address, its host and its aliases, because a name belongs to the account that had it first. It is
 * null for names from before. A host with and without `www.` is the same name.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table website add column address_since timestamptz, add column host_since timestamptz`.execute(db);
  await sql`
    alter table website alter column address_since set default now(), alter column host_since set default now()`.execute(
    db,
  );
  await sql`alter table website_alias add column since timestamptz`.execute(db);
  await sql`alter table website_alias alter column since set default now()`.execute(db);
  await sql`
    create function note_website_names() returns trigger language plpgsql as $$
    declare
      before text := regexp_replace(old.address, '^www\\.', '');
      after text := regexp_replace(new.address, '^www\\.', '');
    begin
      if before <> after then new.address_since := now(); end if;
      if split_part(before, '/', 1) <> split_part(after, '/', 1) then new.host_since := now(); end if;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger note_names before update of address on website for each row
    when (new.address is distinct from old.address) execute function note_website_names()`.execute(db);
  // A host may have many websites, of which the first is asked for.
  await sql`drop index website_by_host`.execute(db);
  await sql`
    create index website_by_host on website (split_part(address, '/', 1), host_since nulls first, created_at, number)`.execute(
    db,
  );
}
