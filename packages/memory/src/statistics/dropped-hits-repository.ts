import { compareBytes, groupBy } from '@hitherto/domain/base';
import type { DroppedHitsRepository } from '@hitherto/domain/hits';
import type { JournalState } from './state.ts';

/** The counters of dropped hits in `state`. */
export function createDroppedHitsRepository(
  state: JournalState,
  isKnown: (websiteId: string) => boolean,
): DroppedHitsRepository {
  return {
    async byReason(websiteId, from, to) {
      if (!isKnown(websiteId)) return [];
      const found = state.dropped.filter((row) => row.websiteId === websiteId && from <= row.day && row.day <= to);
      return [...groupBy(found, ({ reason }) => reason)]
        .map(([reason, rows]) => ({ reason, hits: rows.reduce((sum, { hits }) => sum + hits, 0) }))
        .sort((a, b) => b.hits - a.hits || compareBytes(a.reason, b.reason));
    },

    async deleteAll(websiteId) {
      state.dropped = state.dropped.filter((row) => row.websiteId !== websiteId);
    },
  };
}
