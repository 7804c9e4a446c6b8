import { type Kysely, sql } from 'kysely';

/**
 * Whether a visit is its visitor's only one of the day, as most are, so that filters need not tell these visitors apart. It
 * is null for visits that were made before; their visitors are still compared.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table visit add column is_only boolean`.execute(db);
}
