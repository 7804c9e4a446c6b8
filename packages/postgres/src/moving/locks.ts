import { sql } from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { waitForWorkLock } from '../statistics/jobs/work-lock.ts';

/** How long a move waits until the transactions of others have ended: hits wait behind it. */
export const LOCK_TIMEOUT = sql`set local lock_timeout = '5s'`;

/** Jobs that change visits use the tables of hits for longer than hits may wait behind a move for these tables. */
export async function waitForJobs(transaction: Transaction): Promise<void> {
  await waitForWorkLock(transaction);
  await transaction.query(once(LOCK_TIMEOUT));
}
