import type { Day, DroppedHits, DropReason, HitRepository } from '@hitherto/domain';

/** Counts dropped hits by website, day and reason, and writes the counts in the background. */
export interface DroppedCounter {
  count(websiteId: string, day: Day, reason: DropReason): void;
  /** Writes what is left and stops. */
  close(): Promise<void>;
}

export interface DroppedCounterDependencies {
  readonly hits: HitRepository;
  /** A new id of a batch. */
  readonly newId: () => string;
}

/** The owner sees a drop within 5 s (statistics.md, section 3). */
const WRITE_MS = 1_000;
/** The most waiting counters, to bound memory in a flood while the database is away. */
const MAX_COUNTERS = 50_000;
const MAX_BATCH = 1_000;

/**
 * A counter over the repository. A batch that cannot be written is retried under its id, because it may have been written.
 * If the process is killed, the drops of the last second are lost.
 *
 * @param onFailure is told why a write failed
 */
export function createDroppedCounter(
  { hits, newId }: DroppedCounterDependencies,
  onFailure: (error: unknown) => void,
): DroppedCounter {
  const counters = new Map<string, DroppedHits>();
  let batch: { readonly id: string; readonly dropped: readonly DroppedHits[] } | undefined;
  let writing: Promise<void> | undefined;
  const timer = setInterval(() => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
  }, WRITE_MS);
  timer.unref();

  function takeBatch(): typeof batch {
    if (counters.size === 0) return undefined;
    const taken = [...counters].slice(0, MAX_BATCH);
    for (const [key] of taken) counters.delete(key);
    return { id: newId(), dropped: taken.map(([, dropped]) => dropped) };
  }

  async function write(): Promise<void> {
    for (batch ??= takeBatch(); batch !== undefined; batch = takeBatch()) {
      try {
        await hits.add(batch.id, [], batch.dropped);
      } catch (error) {
        onFailure(error);
        return;
      }
    }
  }

  return {
    count(websiteId, day, reason) {
      const key = `${websiteId} ${day} ${reason}`;
      const known = counters.get(key);
      if (known === undefined && counters.size >= MAX_COUNTERS) return;
      counters.set(key, { websiteId, day, reason, hits: (known?.hits ?? 0) + 1 });
    },

    async close() {
      clearInterval(timer);
      await writing;
      await write();
    },
  };
}
