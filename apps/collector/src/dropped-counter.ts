import type { Day, DroppedHits, DropReason, HitRepository } from '@hitherto/domain';

/** Counts dropped hits by website, day and reason, and writes the counts in the background. */
export interface DroppedCounter {
  count(websiteId: string, day: Day, reason: DropReason): void;
  /** Writes what is left and stops. */
  close(): Promise<void>;
}

/** The owner sees a drop within 5 s (statistics.md, section 3). */
const WRITE_MS = 1_000;
/** The most waiting counters, to bound memory in a flood while the database is away. */
const MAX_COUNTERS = 50_000;
const MAX_BATCH = 1_000;

/**
 * A counter over the repository. Counts that cannot be written are retried. If the outcome of a write is unknown, its drops
 * may count twice; if the process is killed, those of the last second are lost.
 *
 * @param onFailure is told why a write failed
 */
export function createDroppedCounter(
  hits: Pick<HitRepository, 'addDropped'>,
  onFailure: (error: unknown) => void,
): DroppedCounter {
  const counters = new Map<string, DroppedHits>();
  let writing: Promise<void> | undefined;
  const timer = setInterval(() => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
  }, WRITE_MS);
  timer.unref();

  function add(dropped: DroppedHits): void {
    const key = `${dropped.websiteId} ${dropped.day} ${dropped.reason}`;
    const known = counters.get(key);
    if (known === undefined && counters.size >= MAX_COUNTERS) return;
    counters.set(key, { ...dropped, hits: (known?.hits ?? 0) + dropped.hits });
  }

  async function write(): Promise<void> {
    const all = [...counters.values()];
    counters.clear();
    while (all.length > 0) {
      const batch = all.splice(0, MAX_BATCH);
      try {
        await hits.addDropped(batch);
      } catch (error) {
        onFailure(error);
        for (const dropped of [...batch, ...all.splice(0)]) add(dropped);
      }
    }
  }

  return {
    count: (websiteId, day, reason) => add({ websiteId, day, reason, hits: 1 }),

    async close() {
      clearInterval(timer);
      await writing;
      await write();
    },
  };
}
