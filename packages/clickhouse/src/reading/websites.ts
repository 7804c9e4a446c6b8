import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@hitherto/domain/base';
import type { HitJournal, JournalledWebsite } from '@hitherto/domain/engine';
import type { HandOver } from '../hand-over/hand-over.ts';
import type { PreparedServer } from '../tables/prepare.ts';

/** How long a read waits until the hits of its website are handed over, in milliseconds. */
const MAX_WAIT_MS = 10_000;

/** The website with this id, once all its hits that were acknowledged before the call are handed over. */
export type FindWebsite = (websiteId: string) => Promise<JournalledWebsite | undefined>;

/** Reads of this process that wait for hits share a hand-over. */
export function createFindWebsite(
  server: Pick<PreparedServer, 'ready'>,
  journal: Pick<HitJournal, 'findWebsite'>,
  handOver: HandOver,
): FindWebsite {
  let running: Promise<unknown> | undefined;
  const handOverOnce = () => {
    running ??= handOver().finally(() => {
      running = undefined;
    });
    return running;
  };

  /** Hands over until no batch of the website waits that is not later than `last`. */
  const catchUp = async (websiteId: string, last: bigint): Promise<JournalledWebsite | undefined> => {
    const deadline = performance.now() + MAX_WAIT_MS;
    while (performance.now() < deadline) {
      // The one that runs may have begun before the hits were there.
      await handOverOnce();
      const website = await journal.findWebsite(websiteId);
      if (website?.waiting === undefined || website.waiting.first > last) return website;
    }
    throw unavailable('Hits are still being handed over to the engine of statistics.');
  };

  return async (websiteId) => {
    // Hits that the server has lost wait again from then on.
    await server.ready();
    const website = await journal.findWebsite(websiteId);
    if (website?.waiting === undefined) return website;
    const ended = new AbortController();
    const late = sleep(MAX_WAIT_MS, undefined, { signal: ended.signal, ref: false }).then(() => {
      throw unavailable('The engine of statistics is slow to receive hits.');
    });
    try {
      return await Promise.race([catchUp(websiteId, website.waiting.last), late]);
    } finally {
      ended.abort();
      late.catch(() => {});
    }
  };
}
