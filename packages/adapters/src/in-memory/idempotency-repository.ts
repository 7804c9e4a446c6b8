import type { IdempotencyRepository } from '@hitherto/domain';
import type { State } from './state.ts';

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
