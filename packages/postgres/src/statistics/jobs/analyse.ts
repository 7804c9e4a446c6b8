import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { TakeLock } from './work-lock.ts';

/** The tables that are computed from hits. */
export const DERIVED = ['website_day', 'day_numbers'] as const;

/** The tables that reads and jobs choose from. `added_hits` is missing: it is emptied all the time. */
const TABLES = ['hit', ...DERIVED, 'imported_sum'] as const;

/** How much a partitioned table has grown when it is analysed again. */
const GROWTH = 2;

/**
 * Analyses the tables and partitions that have rows but no statistics for the planner, as after a restore. Autovacuum may
 * take long to come to them, and never analyses partitioned tables as a whole: these are analysed again when they have grown.
 */
export async function analyseUnknownTables(database: Database, takeLock: TakeLock): Promise<void> {
  const { rows } = await database.query(
    once(sql<{ name: string; parent: string | null }>`
      select relname as name, parent
      -- The offset keeps the conditions below from being checked for every table of the database.
      from (
        select child.oid, child.relnamespace, child.relname, child.relkind, child.reltuples, parent.relname as parent
        from pg_class child left join pg_inherits on inhrelid = child.oid left join pg_class parent on parent.oid = inhparent
        where (child.oid = any(${TABLES}::regclass[]) or parent.oid = any(${TABLES}::regclass[])) and child.relkind <> 'i'
        offset 0
      ) known
      where case relkind
        when 'p' then exists (select ${ROWS_OF_PARTITIONS} having ${ARE_UNKNOWN} and bool_or(has_rows)
          or sum(greatest(rows, 0)) > ${GROWTH}::integer * greatest(known.reltuples, 1))
        else ${ARE_UNKNOWN} and pg_relation_size(known.oid) > 0 and known.reltuples <> 0
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

/**
 * The condition that the planner has no statistics of the columns of `known`; of a partitioned table, of all its rows. The offset
 * keeps PostgreSQL from reading the statistics of all tables, and checking the rights on each, to find those of one.
 */
const ARE_UNKNOWN = sql`
  not exists (
    select from pg_stats join pg_namespace on nspname = schemaname
    where pg_namespace.oid = known.relnamespace and tablename = known.relname and inherited = (known.relkind = 'p')
    offset 0
  )`;

/** The partitions of `known`. */
const ROWS_OF_PARTITIONS = sql`
  from (
    select child.reltuples as rows, pg_relation_size(child.oid) > 0 and child.reltuples <> 0 as has_rows
    from pg_inherits join pg_class child on child.oid = inhrelid where inhparent = known.oid
  ) partition`;

/**
 * Analyses tables and their partitions.
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
