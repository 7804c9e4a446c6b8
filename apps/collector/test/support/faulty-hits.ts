import { setTimeout as sleep } from 'node:timers/promises';
import { type CountedHit, type DroppedHits, type HitRepository, unavailable } from '@hitherto/domain';

/** What happens to an attempt to add a batch: it fails before or after its commit, never ends, or takes its time. */
export type Fate = 'fails before' | 'fails after' | 'hangs' | 'is slow' | 'works';

/** A `HitRepository` in memory that fails as it is told. */
export interface FaultyHits extends HitRepository {
  /** The fates of the next attempts, in order; after them all work. */
  readonly fates: Fate[];
  /** Whether every attempt fails, before any of `fates`. */
  away: boolean;
  readonly stored: CountedHit[];
  readonly dropped: DroppedHits[];
  /** How many hits each attempt carried. */
  readonly attempts: number[];
}

/** Pages with this name cannot be stored. */
export const BAD_PAGE = '/bad';

export function createFaultyHits(): FaultyHits {
  const batches = new Set<string>();

  const repository: FaultyHits = {
    fates: [],
    away: false,
    stored: [],
    dropped: [],
    attempts: [],

    async add(batchId, hits, dropped = []) {
      repository.attempts.push(hits.length);
      if (repository.away) throw unavailable('away');
      const fate = repository.fates.shift() ?? 'works';
      if (fate === 'hangs') await new Promise(() => {});
      if (fate === 'is slow') await sleep(50);
      if (fate === 'fails before') throw unavailable('failed before the commit');
      if (hits.some(({ page }) => page === BAD_PAGE)) throw new Error('bad data');
      if (!batches.has(batchId)) {
        repository.stored.push(...hits);
        repository.dropped.push(...dropped);
      }
      batches.add(batchId);
      if (fate === 'fails after') throw unavailable('failed after the commit');
    },
  };
  return repository;
}
