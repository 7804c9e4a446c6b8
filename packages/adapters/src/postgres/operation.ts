import { sql } from 'kysely';
import type { Database, Transaction } from './database.ts';
import { once } from './statement.ts';
import { DATABASE_TIMES } from './times.ts';

/**
 * A transaction for what an operator asks for and waits for. How much it does depends on what accounts hold, so that
 * PostgreSQL ends none of its statements for the time it takes; and between them it waits for the other end of a
 * transfer, a file or a pipe, which may be slower than a request's client.
 */
export async function beginOperation(database: Database, mode: Parameters<Database['begin']>[0]): Promise<Transaction> {
  const transaction = await database.begin(mode);
  try {
    await transaction.query(
      once(sql`select set_config('statement_timeout', '0', true),
        set_config('idle_in_transaction_session_timeout', ${String(DATABASE_TIMES.operationPause)}, true)`),
    );
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  return {
    ...transaction,
    query: (query) => transaction.query({ ...query, query_timeout: DATABASE_TIMES.operationAnswer }),
  };
}
