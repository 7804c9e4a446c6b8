import { type Kysely, sql } from 'kysely';

/**
 * A number of each website that grows with every change of who may see its page: unlocks of before end by it. A trigger
 * counts, so that changes by a version that does not know the column are counted, too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table website add column lock_version integer not null default 0`.execute(db);
  await sql`
    create function count_lock_change() returns trigger language plpgsql as $$ begin
      new.lock_version := old.lock_version + 1;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger count_lock_change before update on website for each row
    when (old.privacy is distinct from new.privacy or old.password_hash is distinct from new.password_hash)
    execute function count_lock_change()`.execute(db);
}
