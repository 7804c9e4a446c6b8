import { type Kysely, sql } from 'kysely';

/** How far access logs have been read for a website, as the program wrote it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table log_checkpoint (
      website_number bigint not null references website (number) on delete cascade,
      log text collate "C" not null check (octet_length(log) <= 1020),
      checkpoint text not null,
      primary key (website_number, log)
    )`.execute(db);
}
