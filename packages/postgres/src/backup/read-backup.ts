import type { BackupPart, BackupTable } from '@hitherto/domain/backup';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { columnsOf, once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { BACKUP_TABLES, SETTINGS_TABLES } from './backup-tables.ts';
import { sequences } from './sequences.ts';
import { writeValuesAlike } from './value-format.ts';

/** A table and its rows. */
interface RowTable extends Omit<BackupTable, 'type'> {
  /** About how many there are. */
  readonly rows: number;
}

/** Columns with numbers of transactions, which mean nothing in another database. */
const OF_TRANSACTIONS = ['added_in', 'rewritten_in'];

/** PostgreSQL has no estimate of a table that was never analysed; a row of a hit takes about this many bytes. */
const ROW_BYTES = 200;

/** Everything in the database, or only the settings, as it is at one moment, while others write. */
export async function* readBackup(database: Database, isOfSettings: boolean): AsyncGenerator<BackupPart> {
  const tables = isOfSettings ? SETTINGS_TABLES : BACKUP_TABLES;
  yield* database.stream((transaction) => readTables(transaction, tables), { snapshot: true });
}

async function* readTables(transaction: Transaction, names: readonly string[]): AsyncGenerator<BackupPart> {
  await writeValuesAlike(transaction);
  // Before the first query, which decides on the moment.
  const all = sql.join(names.map((name) => sql.table(name)));
  await transaction.query(once(sql`lock table ${all} in access share mode`));

  const tables = await rowTables(transaction, names);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  yield { type: 'start', migrations: await executedMigrations(transaction), rows };
  for (const { name, columns, partition } of tables) {
    yield { type: 'table', name, columns, partition };
    const copy = once(sql`copy ${sql.table(name)} (${columnsOf(columns)}) to stdout`).text;
    for await (const bytes of transaction.copyOut(copy)) yield { type: 'rows', bytes };
  }
  // Numbers are generated outside of transactions: read last, they are at least the highest of all rows.
  yield { type: 'end', sequences: await sequences(transaction, names) };
}

/** The migrations that have run, in order. */
export async function executedMigrations(transaction: Transaction): Promise<string[]> {
  const { rows } = await transaction.query(
    once(sql<{ name: string }>`select name from schema_migration order by name collate "C"`),
  );
  return rows.map(({ name }) => name);
}

async function rowTables(transaction: Transaction, names: readonly string[]): Promise<RowTable[]> {
  const { rows } = await transaction.query(
    once(sql<RowTable>`
      select stored.relname as name, columns.names as columns,
        null as partition,
        case when stored.reltuples < 0 then pg_relation_size(stored.oid) / ${ROW_BYTES}::integer else stored.reltuples end as rows
      from unnest(${[...names]}::text[]) with ordinality listed (name, place)
      join pg_class stored on stored.oid = to_regclass(listed.name)
      cross join lateral (
        select array_agg(attname::text order by attnum) as names from pg_attribute
        where attrelid = stored.oid and attnum > 0 and not attisdropped and attgenerated = ''
          and attname <> all(${OF_TRANSACTIONS}::text[])
      ) columns
      order by place`),
  );
  return rows.map((row) => ({ ...row, rows: Number(row.rows) }));
}
