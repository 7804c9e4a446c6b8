import { sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';

/** The advisory lock for changing visits, summaries and partitions; the number is arbitrary. */
export const LOCK_ID = 4_847_115;

/** Takes the lock until the transaction ends. Resolves to `false` if it did not. */
export type TakeLock = (transaction: Transaction) => Promise<boolean>;

/** Takes the lock unless another instance has it, which then does the work. */
export const tryWorkLock: TakeLock = async (transaction) => {
  const { rows } = await transaction.query(
    once(sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${LOCK_ID}) as taken`),
  );
  return rows[0]?.taken === true;
};

/** Waits for the lock, for work that has to be done before the caller goes on. */
export const waitForWorkLock: TakeLock = async (transaction) => {
  await transaction.query(once(sql`set local lock_timeout = 0`));
  await transaction.query(once(sql`select pg_advisory_xact_lock(${LOCK_ID})`));
  return true;
};
