import type { Day } from '../calendar/days.ts';
import type { CountedHit, DropReason } from '../hit.ts';

/** How many hits of a website were dropped on a day for one reason. */
export interface DroppedHits {
  readonly websiteId: string;
  readonly day: Day;
  readonly reason: DropReason;
  readonly hits: number;
}

/**
 * Keeps the hits of all websites. All methods reject with a `DomainError` of code `unavailable` while the database is
 * unreachable or overloaded.
 */
export interface HitRepository {
  /**
   * Adds a batch, all or none, and resolves when it is committed: hits, and what is added to the counters of dropped
   * hits. A batch whose id was added before is skipped, so one with an unknown outcome can be sent again. Hits of
   * deleted websites are left out.
   */
  add(batchId: string, hits: readonly CountedHit[], dropped?: readonly DroppedHits[]): Promise<void>;
}
