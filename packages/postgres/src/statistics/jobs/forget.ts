import { isId } from '@hitherto/domain/base';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { waitForWorkLock } from './work-lock.ts';

const MAX_ROWS = 20_000;
const TABLES = ['day_numbers', 'book', 'added_hits', 'website_day', 'imported_sum'] as const;

/** Deletes a bounded number of rows of a deleted website from one table; returns whether there were any. */
export async function forget(database: Database, websiteId: string): Promise<boolean> {
  if (!isId(websiteId)) return false;
  return database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    const { rows } = await transaction.query(
      once(sql<{ number: string }>`select number from deleted_website where id = ${websiteId}`),
    );
    for (const { number } of rows) {
      for (const table of TABLES) {
        if ((await deleteSome(transaction, table, number)) > 0) return true;
      }
    }
    return false;
  });
}

async function deleteSome(transaction: Transaction, table: string, number: string): Promise<number> {
  const name = sql.table(table);
  const { count } = await transaction.query(
    once(sql`
      delete from ${name} where ctid = any(array(
        select ctid from ${name} where website_number = ${number} limit ${MAX_ROWS}
      ))`),
  );
  return count;
}
