import type { CountedHit, Day, DropReason } from './hit.ts';

/** The number of hits of a website that were dropped on a day for one reason. */
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
   * Adds a batch of hits, all or none, and resolves when they are committed. A batch whose id was added before is
   * ignored, so a batch with an unknown outcome can be added again. Hits of deleted websites are ignored.
   */
  add(batchId: string, hits: readonly CountedHit[]): Promise<void>;

  /** Adds to the counters of dropped hits, ignoring deleted websites. */
  addDropped(dropped: readonly DroppedHits[]): Promise<void>;
}

/** The random keys of visitors' hashes, one per day, shared by all instances (statistics.md, section 1). */
export interface SaltRepository {
  /** The day's salt: 32 bytes. The first caller stores `fresh`; all others get the same. */
  saltOf(day: Day, fresh: Uint8Array): Promise<Uint8Array>;

  /** Deletes the salts of days before `day`; returns how many. */
  deleteBefore(day: Day): Promise<number>;
}
