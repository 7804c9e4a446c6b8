import type { DroppedHits } from '@hitherto/domain';

/** Adds up dropped hits by website, day and reason, and writes the counters in the background. */
export interface DroppedTally {
  add(dropped: DroppedHits): void;
  /** Hands the rest over to be written. */
  close(): void;
}

/** The owner sees a drop within 5 s (statistics.md, section 3). */
const WRITE_MS = 1_000;
/** The most waiting counters, to bound memory in a flood while the database is away. */
const MAX_COUNTERS = 50_000;
const MAX_BATCH = 1_000;

/**
 * A tally that writes its counters a second after the first drop, and again a second after they are written.
 *
 * @param write resolves once the counters are stored
 * @param onFailure called when counters are lost, with the reason
 */
export function createDroppedTally(
  write: (dropped: readonly DroppedHits[]) => Promise<void>,
  onFailure: (error: unknown) => void,
): DroppedTally {
  const counters = new Map<string, DroppedHits>();
  let timer: NodeJS.Timeout | undefined;

  async function writeAll(): Promise<void> {
    const all = [...counters.values()];
    counters.clear();
    const batches = Array.from({ length: Math.ceil(all.length / MAX_BATCH) }, (_, n) =>
      all.slice(n * MAX_BATCH, (n + 1) * MAX_BATCH),
    );
    await Promise.all(batches.map((batch) => write(batch).catch(onFailure)));
  }

  async function writeAgain(): Promise<void> {
    await writeAll();
    timer = undefined;
    if (counters.size > 0) schedule();
  }

  function schedule(): void {
    timer = setTimeout(writeAgain, WRITE_MS).unref();
  }

  return {
    add({ websiteId, day, reason, hits }) {
      const key = `${websiteId} ${day} ${reason}`;
      const known = counters.get(key);
      if (known === undefined && counters.size >= MAX_COUNTERS) return;
      counters.set(key, { websiteId, day, reason, hits: (known?.hits ?? 0) + hits });
      if (timer === undefined) schedule();
    },

    close() {
      clearTimeout(timer);
      void writeAll();
    },
  };
}
