import type { HitBatchRepository, HitRepository } from '@hitherto/domain/hits';
import type { JournalState } from './state.ts';

/** Stores batches that may be sent again in `state`, and their hits by `hits`. */
export function createHitBatchRepository(state: JournalState, hits: HitRepository): HitBatchRepository {
  const findRecord = (keyHash: string, now: Date) => {
    const record = state.batchRecords.get(keyHash);
    return record !== undefined && record.expiresAt > now ? structuredClone(record) : undefined;
  };

  return {
    async find(keyHash, now) {
      return findRecord(keyHash, now);
    },

    async add(record, added, dropped, now) {
      const earlier = findRecord(record.keyHash, now);
      if (earlier !== undefined) return earlier;
      state.batchRecords.set(record.keyHash, structuredClone(record));
      await hits.add(added, dropped);
      return undefined;
    },

    async deleteExpired(now) {
      for (const [keyHash, { expiresAt }] of state.batchRecords)
        if (expiresAt <= now) state.batchRecords.delete(keyHash);
      return false;
    },
  };
}
