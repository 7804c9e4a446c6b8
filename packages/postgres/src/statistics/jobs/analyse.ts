import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { TakeLock } from './work-lock.ts';

/** The tables that are computed from hits. */
export const DERIVED = ['website_day', 'day_numbers'] as const;

/** The tables that reads and jobs choose from. `added_hits` and `journal_batch` are missing: they are emptied all the time. */
const TABLES = ['book', ...DERIVED, 'imported_sum'] as const;

/**
 * Analyses the tables that have rows but no statistics for the planner, as after a restore. Autovacuum may take long to come to
 * them.
 */
export async function analyseUnknownTables(database: Database, takeLock: TakeLock): Promise<void> {
  const { rows } = await database.query(
    once(sql<{ name: string }>`
      select relname as name from pg_class known
      where oid = any(${TABLES}::regclass[]) and pg_relation_size(oid) > 0 and reltuples <> 0 and not exists (
        select from pg_stats join pg_namespace on nspname = schemaname
        where pg_namespace.oid = known.relnamespace and tablename = known.relname
        -- Else PostgreSQL reads the statistics of all tables, and checks the rights on each.
        offset 0
      )`),
  );
  await analyse(
    database,
    takeLock,
    rows.map(({ name }) => name),
  );
}

/**
 * Analyses tables.
 *
 * @param target `default_statistics_target`, which is the size of the sample, if not the server's
 */
export async function analyse(
  database: Database,
  takeLock: TakeLock,
  tables: readonly string[],
  target?: number,
): Promise<void> {
  for (const table of tables) {
    await database.transaction(async (transaction) => {
      if (!(await takeLock(transaction))) return;
      if (target !== undefined) {
        await transaction.query(once(sql`set local default_statistics_target = ${sql.lit(target)}`));
      }
      await transaction.query(once(sql`analyze ${sql.table(table)}`));
    });
  }
}
