import { type Kysely, sql } from 'kysely';

/**
 * The visits and summaries that are made of the staged hits of an import while its file is still read. Like these hits, they need
 * not survive a crash.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['visit', 'summary']) {
    const prepared = sql.table(`import_${table}`);
    await sql`create unlogged table ${prepared} (like ${sql.table(table)})`.execute(db);
    await sql`alter table ${prepared} add column import_number bigint not null`.execute(db);
  }
}
