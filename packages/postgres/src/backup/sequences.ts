import type { BackupEnd } from '@hitherto/domain/backup';
import { sql } from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';

type Sequences = BackupEnd['sequences'];

/** The last numbers of the columns of these tables that generate them; a column that has generated none is missing. */
export async function sequences(transaction: Transaction, tables: readonly string[]): Promise<Sequences> {
  const { rows: columns } = await transaction.query(
    once(sql<{ table: string; column: string }>`
      select listed.name as "table", attname::text as "column"
      from unnest(${[...tables]}::text[]) listed (name)
      join pg_attribute on attrelid = to_regclass(listed.name) and attidentity <> '' and not attisdropped
      order by listed.name, attname`),
  );
  const found: Sequences[number][] = [];
  for (const { table, column } of columns) {
    const { rows } = await transaction.query(
      once(sql<{ last: string | null }>`
        select pg_sequence_last_value(pg_get_serial_sequence(${table}, ${column})::regclass)::text as last`),
    );
    const last = rows[0]?.last ?? null;
    if (last !== null) found.push({ table, column, last });
  }
  return found;
}

/** Lets these columns go on after their last numbers. */
export async function continueSequences(transaction: Transaction, last: Sequences): Promise<void> {
  for (const { table, column, last: number } of last) {
    await transaction.query(
      once(sql`select setval(pg_get_serial_sequence(${table}, ${column})::regclass, ${number}::bigint)`),
    );
  }
}
