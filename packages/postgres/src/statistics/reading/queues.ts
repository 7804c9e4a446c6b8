import { unavailable } from '@hitherto/domain/base';
import { DATABASE_TIMEOUTS } from '../../connection/timeouts.ts';
import { BeginAgain } from '../open-days/open-days.ts';

/** How long a reading may begin again. */
const LONGEST_MS = DATABASE_TIMEOUTS.statisticsStatement;

/** Does a reading of a website, again where it has to. */
export type Read = <Result>(websiteId: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Readings of a website run at the same time, until one of them finds that another has read later hits. It begins again after
 * those that have to, too, and new ones come after it: so it begins again for those at most that ran before. None waits within
 * its transaction.
 */
export function createQueues(): Read {
  /** By website; resolves when the last reading of the queue has ended. */
  const ends = new Map<string, Promise<void>>();

  const enter = async (websiteId: string): Promise<() => void> => {
    const before = ends.get(websiteId);
    let leave = () => {};
    const end = new Promise<void>((resolve) => {
      leave = resolve;
    });
    ends.set(websiteId, end);
    await before;
    return () => {
      if (ends.get(websiteId) === end) ends.delete(websiteId);
      leave();
    };
  };

  return async (websiteId, work) => {
    const start = performance.now();
    let leave = ends.has(websiteId) ? await enter(websiteId) : undefined;
    try {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof BeginAgain)) throw error;
          leave ??= await enter(websiteId);
          await error.ready;
        }
        if (performance.now() - start > LONGEST_MS)
          throw unavailable('Too many reads of these statistics are waiting.');
      }
    } finally {
      leave?.();
    }
  };
}
