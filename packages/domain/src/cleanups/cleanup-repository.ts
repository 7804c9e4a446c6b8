import type { UpdatableRepository } from '../resources/resource-repository.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Cleanup, HiddenNumbers } from './cleanup.ts';

/** A cleanup that waits to be applied, erased or undone, and its website. */
export interface WaitingCleanup extends WebsiteKey {
  readonly cleanup: Cleanup;
}

/** Stores the cleanups of websites. An insert and a replacement throw `NameTaken` as those of definitions do. */
export interface CleanupRepository extends UpdatableRepository<WebsiteKey, Cleanup> {
  /** The cleanup that waits longest of those that are the first to wait at their website. */
  waiting(): Promise<WaitingCleanup | undefined>;

  /**
   * Applies a cleanup: all numbers of its days change at this moment.
   *
   * @returns false if it does not wait for that any more
   */
  apply(waiting: WaitingCleanup, hidden: HiddenNumbers): Promise<boolean>;

  /** Notes when the hits were deleted that it hides. Returns false if it does not wait for that. */
  erased(waiting: WaitingCleanup, at: Date): Promise<boolean>;

  /** Undoes a cleanup, which is gone from this moment on. Returns false if it does not wait for that. */
  undo(waiting: WaitingCleanup): Promise<boolean>;
}
