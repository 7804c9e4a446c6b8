import { sql } from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';

/**
 * Drops the indexes of these tables that hold no constraint, and returns how to create them again: over rows that are there,
 * which is sooner than with each row, and summarises all of a BRIN index.
 */
export async function dropIndexes(transaction: Transaction, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await transaction.query(
    once(sql<{ name: string; definition: string }>`
      select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index
      where indrelid in (select to_regclass(name) from unnest(${[...tables]}::text[]) listed (name))
        and not exists (select from pg_constraint where conindid = indexrelid)
      order by 1`),
  );
  for (const { name } of rows) await transaction.query(once(sql`drop index ${sql.raw(name)}`));
  return async () => {
    for (const { definition } of rows) {
      // The definition of a partitioned table's index leaves out its partitions.
      await transaction.query({ text: definition.replace(' ON ONLY ', ' ON '), values: [] });
    }
  };
}
