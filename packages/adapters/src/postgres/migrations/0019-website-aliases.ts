import { type Kysely, sql } from 'kysely';

/**
 * The aliases of websites. A website has its own in their order; a trigger keeps the table in step, in which an alias is unique
 * and from which its website is found. A version without aliases adds websites that have none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table website add column aliases text[] collate "C" not null default '{}'`.execute(db);
  await sql`
    create table website_alias (
      alias text collate "C" not null check (octet_length(alias) between 1 and 255),
      website_number bigint not null references website (number) on delete cascade,
      constraint website_alias_taken primary key (alias)
    )`.execute(db);
  await sql`create index website_alias_of_website on website_alias (website_number)`.execute(db);
  // Aliases are added in one order, so that two transactions wait for each other instead of failing.
  await sql`
    create function keep_website_aliases() returns trigger language plpgsql as $$ begin
      delete from website_alias where website_number = new.number and alias <> all (new.aliases);
      insert into website_alias (alias, website_number)
      select given.alias, new.number from unnest(new.aliases) given (alias)
      where not exists (select from website_alias own where own.alias = given.alias and own.website_number = new.number)
      order by given.alias;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger keep_aliases_of_new after insert on website for each row
    when (new.aliases <> '{}') execute function keep_website_aliases()`.execute(db);
  await sql`
    create trigger keep_aliases after update of aliases on website for each row
    when (new.aliases is distinct from old.aliases) execute function keep_website_aliases()`.execute(db);
}
