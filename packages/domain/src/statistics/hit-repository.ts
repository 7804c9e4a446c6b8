import type { CountedHit, Day, DropReason } from './hit.ts';

/** How many hits of a website were dropped on a day for one reason. */
export interface DroppedHits {
  readonly websiteId: string;
  readonly day: Day;
  readonly reason: DropReason;
  readonly hits: number;
}

/**
 * Keeps the hits of all websites. What cannot be reached or is overloaded rejects with a `DomainError` of code
 * `unavailable`.
 */
export interface HitRepository {
  /**
   * Adds a batch, all or none, and resolves when it is committed: hits, and what is added to the counters of dropped hits.
   * A batch whose id was added before is passed over, so that one whose outcome is unknown can be sent again. What is of
   * websites that are gone is left out.
   */
  add(batchId: string, hits: readonly CountedHit[], dropped?: readonly DroppedHits[]): Promise<void>;
}

/** The random keys that visitors are computed under, one a day, shared by all instances (statistics.md, section 1). */
export interface SaltRepository {
  /** The day's salt: 32 bytes. Of several callers at once one makes it, of `fresh`, and all get the same. */
  saltOf(day: Day, fresh: Uint8Array): Promise<Uint8Array>;

  /** Deletes the salts of the days before `day`; returns how many. */
  deleteBefore(day: Day): Promise<number>;
}
