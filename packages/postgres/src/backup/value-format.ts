import { sql } from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';

/** COPY writes and reads values alike, whatever the settings of the server, the database or the role. */
export async function writeValuesAlike(transaction: Transaction): Promise<void> {
  for (const setting of [
    sql`datestyle = 'ISO, YMD'`,
    sql`timezone = 'UTC'`,
    sql`bytea_output = 'hex'`,
    sql`extra_float_digits = 1`,
  ]) {
    await transaction.query(once(sql`set local ${setting}`));
  }
}
