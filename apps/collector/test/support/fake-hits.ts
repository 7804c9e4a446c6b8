import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@hitherto/domain/base';
import { type CountedHit, type DroppedHits, type HitRepository, OutcomeUnknown } from '@hitherto/domain/hits';

/** A `HitRepository` in memory that fails as it is told. */
export interface FakeHits extends HitRepository {
  /** While it is away, hits wait until their deadline. */
  away: boolean;
  /** Whether the outcome of the next call is unknown. */
  isDoubtful: boolean;
  readonly stored: CountedHit[];
  readonly dropped: DroppedHits[];
}

/** Pages with this name cannot be stored. */
export const BAD_PAGE = '/bad';

export function createFakeHits(): FakeHits {
  const repository: FakeHits = {
    away: false,
    isDoubtful: false,
    stored: [],
    dropped: [],

    async add(hits, dropped = [], { deadline } = { deadline: Number.POSITIVE_INFINITY, untilCertain: false }) {
      while (repository.away) {
        if (performance.now() >= deadline) throw unavailable('away');
        await sleep(20);
      }
      if (repository.isDoubtful) {
        repository.isDoubtful = false;
        throw new OutcomeUnknown();
      }
      if (hits.some(({ page }) => page === BAD_PAGE)) throw new Error('bad data');
      repository.stored.push(...hits);
      repository.dropped.push(...dropped);
    },

    addDropped: (dropped) => void repository.dropped.push(dropped),
  };
  return repository;
}
