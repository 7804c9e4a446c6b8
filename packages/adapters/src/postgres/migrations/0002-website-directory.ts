import { type Kysely, sql } from 'kysely';

/**
 * Finds websites by id or address alone, and gives each a short number for hits to refer to. Hits have no foreign
 * key, because deleting a website must not wait for millions of hits: the numbers of deleted websites are kept for a
 * job that purges their rows. Instances are notified of changes and deletions on the channel `website_changed`, but not
 * of new websites, because notifying transactions commit one after the other.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table website add column number bigint generated always as identity unique`.execute(db);
  // Hash indexes, which cannot sort: with an index by id in order, the planner would read other accounts' websites for lists.
  await sql`alter table website add constraint website_id_taken exclude using hash (id with =)`.execute(db);
  await sql`create index website_by_address on website using hash (address)`.execute(db);

  await sql`
    create table deleted_website (
      number bigint primary key,
      deleted_at timestamptz(3) not null
    )`.execute(db);
  // Per statement, not per row: deleting an account may delete millions of websites.
  await sql`
    create function keep_deleted_websites() returns trigger language plpgsql as $$ begin
      insert into deleted_website select number, now() from changed;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger keep_deleted after delete on website referencing old table as changed
    for each statement execute function keep_deleted_websites()`.execute(db);

  // An empty payload stands for many websites.
  await sql`
    create function notify_website_changed() returns trigger language plpgsql as $$ begin
      if (select count(*) from (select from changed limit 101) few) > 100 then
        perform pg_notify('website_changed', '');
      else
        perform pg_notify('website_changed', id::text) from changed;
      end if;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger notify_updated after update on website referencing new table as changed
    for each statement execute function notify_website_changed()`.execute(db);
  await sql`
    create trigger notify_deleted after delete on website referencing old table as changed
    for each statement execute function notify_website_changed()`.execute(db);
}
