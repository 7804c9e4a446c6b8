import { MAX_NOTED_VALUES, type NotedHits, type NotedHitsRepository } from '@hitherto/domain/hits';
import type { JournalState } from './state.ts';

/** The notes of checks in `state`. */
export function createNotedHitsRepository(
  state: JournalState,
  isKnown: (websiteId: string) => boolean,
): NotedHitsRepository {
  const keyOf = ({ websiteId, day, kind, value }: NotedHits) => [websiteId, day, kind, value].join(' ');
  const hasRoom = ({ websiteId, day, kind }: NotedHits) =>
    [...state.noted.keys()].filter((key) => key.startsWith([websiteId, day, kind, ''].join(' '))).length <
    MAX_NOTED_VALUES;

  return {
    add(noted) {
      const known = state.noted.get(keyOf(noted));
      if (!isKnown(noted.websiteId) || (known === undefined && !hasRoom(noted))) return;
      state.noted.set(keyOf(noted), { ...noted, hits: noted.hits + (known?.hits ?? 0) });
    },

    async list(websiteId, from, to) {
      if (!isKnown(websiteId)) return [];
      return [...state.noted.values()].filter((row) => row.websiteId === websiteId && from <= row.day && row.day <= to);
    },

    async deleteBefore(day) {
      for (const [key, row] of state.noted) if (row.day < day) state.noted.delete(key);
    },

    async deleteAll(websiteId) {
      for (const [key, row] of state.noted) if (row.websiteId === websiteId) state.noted.delete(key);
    },
  };
}
