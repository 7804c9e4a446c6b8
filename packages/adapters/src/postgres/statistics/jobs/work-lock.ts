import { sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';

/** The advisory lock for changing visits, summaries and partitions; the number is arbitrary. */
export const LOCK_ID = 4_847_115;

/** Takes the lock until the transaction ends, unless another instance has it. */
export async function tryWorkLock(transaction: Transaction): Promise<boolean> {
  const { rows } = await transaction.query(
    once(sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${LOCK_ID}) as taken`),
  );
  return rows[0]?.taken === true;
}

/** Waits for the lock, for an operator's command, and holds it until the transaction ends. */
export async function waitForWorkLock(transaction: Transaction): Promise<void> {
  await transaction.query(once(sql`set local lock_timeout = 0`));
  await transaction.query(once(sql`select pg_advisory_xact_lock(${LOCK_ID})`));
}
