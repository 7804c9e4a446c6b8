import type { IdempotencyRecord } from './idempotency-record.ts';

/**
 * Finds and deletes idempotency records. They are written by the repository that carries out the request, in the same
 * transaction. Rejects with a `DomainError` of code `unavailable` when the database cannot be reached or is overloaded.
 */
export interface IdempotencyRepository {
  /** The record of an earlier request by the hash of its key, unless it has expired at `now`. Any string is accepted. */
  find(accountId: string, keyHash: string, now: Date): Promise<IdempotencyRecord | undefined>;

  /** Deletes the records of all accounts that have expired at `now`, and resolves to their number. */
  deleteExpired(now: Date): Promise<number>;
}
