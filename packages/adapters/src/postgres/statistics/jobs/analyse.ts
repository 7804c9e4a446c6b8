import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import { PARTITIONED } from './partitions.ts';
import type { TakeLock } from './work-lock.ts';

/** The tables that reads join. `changed_visitor` is missing: it is emptied all the time. */
const TABLES = [...PARTITIONED, 'website_day', 'summary', 'week_summary'] as const;

/** How much a partitioned table has grown when it is analysed again. */
const GROWTH = 2;

/**
 * Analyses the tables and partitions that have rows but were never analysed, as after a restore. Autovacuum may take long to
 * come to them, and never analyses partitioned tables as a whole: these are analysed again when they have grown.
 */
export async function analyseUnknownTables(database: Database, takeLock: TakeLock): Promise<void> {
  const { rows } = await database.query(
    once(sql<{ name: string; parent: string | null }>`
      select pg_class.relname as name, parent.relname as parent
      from pg_class left join pg_inherits on inhrelid = pg_class.oid left join pg_class parent on parent.oid = inhparent
      where (pg_class.oid = any(${TABLES}::regclass[]) or parent.oid = any(${TABLES}::regclass[]))
        and case pg_class.relkind
          when 'r' then pg_class.reltuples < 0 and pg_relation_size(pg_class.oid) > 0
          when 'p' then (
            select coalesce(sum(child.reltuples) filter (where child.reltuples > 0), 0)
              + count(*) filter (where child.reltuples < 0 and pg_relation_size(child.oid) > 0)
            from pg_inherits join pg_class child on child.oid = inhrelid where inhparent = pg_class.oid
          ) > ${GROWTH}::integer * greatest(pg_class.reltuples, 0)
        end`),
  );
  const names = new Set(rows.map(({ name }) => name));
  // Analysing a partitioned table includes its partitions.
  const chosen = rows.filter(({ parent }) => parent === null || !names.has(parent));
  await analyse(
    database,
    takeLock,
    chosen.map(({ name }) => name),
  );
}

/** Analyses tables, by default all that background work changes, and their partitions. */
export async function analyse(
  database: Database,
  takeLock: TakeLock,
  tables: readonly string[] = TABLES,
): Promise<void> {
  for (const table of tables) {
    await database.transaction(async (transaction) => {
      if (await takeLock(transaction)) await transaction.query(once(sql`analyze ${sql.table(table)}`));
    });
  }
}
