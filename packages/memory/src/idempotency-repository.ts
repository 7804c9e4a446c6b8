import type { IdempotencyRecord, IdempotencyRepository } from '@hitherto/domain/changes';
import type { AccountState, State } from './state.ts';

/** Finds and deletes the idempotency records in `state`. */
export function createIdempotencyRepository(state: State): IdempotencyRepository {
  return {
    async find(accountId, keyHash, now) {
      const record = state.accounts.get(accountId)?.records.get(keyHash);
      return record !== undefined && now < record.expiresAt ? structuredClone(record) : undefined;
    },

    async deleteExpired(now) {
      let deleted = 0;
      for (const { records } of state.accounts.values()) {
        for (const [keyHash, { expiresAt }] of records) {
          if (expiresAt <= now && records.delete(keyHash)) deleted += 1;
        }
      }
      return deleted;
    },
  };
}

/** The account's record of the same key that has not expired at `now`. */
export function earlierRecord(
  { records }: AccountState,
  { keyHash }: IdempotencyRecord,
  now: Date,
): IdempotencyRecord | undefined {
  const earlier = records.get(keyHash);
  return earlier !== undefined && now < earlier.expiresAt ? structuredClone(earlier) : undefined;
}

/** Stores a record in place of an expired one with the same key. */
export function keepRecord({ records }: AccountState, record: IdempotencyRecord): void {
  records.set(record.keyHash, structuredClone(record));
}
