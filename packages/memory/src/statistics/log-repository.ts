import type { CrawlerRepository, HitRepository } from '@hitherto/domain/hits';
import type { LogRepository } from '@hitherto/domain/imports';
import type { JournalState } from './state.ts';

/** The key of the place of a log in the state. */
export const logKey = (websiteId: string, log: string) => `${websiteId} ${log}`;

/** Stores how far logs have been read in `state`. */
export function createLogRepository(
  state: JournalState,
  hits: HitRepository,
  crawlers: CrawlerRepository,
  isKnown: (websiteId: string) => boolean,
): LogRepository {
  const find = (websiteId: string, log: string) =>
    isKnown(websiteId) ? state.checkpoints.get(logKey(websiteId, log)) : undefined;

  return {
    async checkpoint(websiteId, log) {
      return structuredClone(find(websiteId, log));
    },

    async checkpoints(websiteId) {
      const prefix = logKey(websiteId, '');
      const own = [...state.checkpoints].filter(([key]) => isKnown(websiteId) && key.startsWith(prefix)).sort();
      return new Map(own.map(([key, checkpoint]) => [key.slice(prefix.length), structuredClone(checkpoint)]));
    },

    async followedDays(websiteId) {
      return isKnown(websiteId) ? [...(state.followed.get(websiteId) ?? [])].sort() : [];
    },

    async add({ websiteId, log, from, to, hits: added, dropped, crawled }) {
      if (!isKnown(websiteId) || JSON.stringify(find(websiteId, log)) !== JSON.stringify(from)) return false;
      state.checkpoints.set(logKey(websiteId, log), structuredClone(to));
      state.followed.set(
        websiteId,
        new Set([...(state.followed.get(websiteId) ?? []), ...added.map(({ day }) => day)]),
      );
      await hits.add(added, dropped);
      for (const one of crawled) crawlers.add(one);
      return true;
    },
  };
}
