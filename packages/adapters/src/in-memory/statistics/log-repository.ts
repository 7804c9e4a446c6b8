import type { CrawlerRepository, HitRepository, LogRepository } from '@hitherto/domain';
import type { JournalState } from './state.ts';

/** Keeps how far logs have been read in `state`. */
export function createLogRepository(
  state: JournalState,
  hits: HitRepository,
  crawlers: CrawlerRepository,
  isKnown: (websiteId: string) => boolean,
): LogRepository {
  const keyOf = (websiteId: string, log: string) => `${websiteId} ${log}`;
  const find = (websiteId: string, log: string) =>
    isKnown(websiteId) ? state.checkpoints.get(keyOf(websiteId, log)) : undefined;

  return {
    async checkpoint(websiteId, log) {
      return structuredClone(find(websiteId, log));
    },

    async hasRead(websiteId) {
      return isKnown(websiteId) && [...state.checkpoints.keys()].some((key) => key.startsWith(`${websiteId} `));
    },

    async add({ websiteId, log, from, to, hits: added, dropped, crawled }) {
      if (!isKnown(websiteId) || JSON.stringify(find(websiteId, log)) !== JSON.stringify(from)) return false;
      state.checkpoints.set(keyOf(websiteId, log), structuredClone(to));
      await hits.add(added, dropped);
      for (const one of crawled) crawlers.add(one);
      return true;
    },
  };
}
