import { DomainError } from '../base/errors.ts';
import type { Day } from '../calendar/days.ts';
import type { CountedHit, DropReason } from './hit.ts';

/** How many hits of a website were dropped on a day for one reason. */
export interface DroppedHits {
  readonly websiteId: string;
  readonly day: Day;
  readonly reason: DropReason;
  readonly hits: number;
}

/** How long hits wait for their commit. */
export interface WriteDeadline {
  /**
   * On the monotonic clock, in milliseconds. Hits that are not being written by then are abandoned: `add` rejects with
   * `unavailable`, and they are not stored.
   */
  readonly deadline: number;
  /** Whether hits that are being written at the deadline wait for the outcome; otherwise it is unknown. */
  readonly untilCertain: boolean;
}

/** Stores the hits of all websites. */
export interface HitRepository {
  /**
   * Adds hits and adds to the counters of dropped hits, all or none. Resolves once they are committed; concurrent calls
   * share a transaction. While the database is away they wait: see {@link WriteDeadline}, by default 10 s. A commit whose outcome
   * is unknown is repeated and counts once. Leaves out hits of deleted websites.
   *
   * @throws DomainError `unavailable` if nothing is stored; {@link OutcomeUnknown} if perhaps everything is
   */
  add(hits: readonly CountedHit[], dropped?: readonly DroppedHits[], until?: WriteDeadline): Promise<void>;

  /**
   * Adds to a counter of dropped hits within a second, or once the database is back. Waits for nothing and never fails. If
   * the process is killed, the last second is lost.
   */
  addDropped(dropped: DroppedHits): void;
}

/** It is unknown whether the hits were stored: if sent again, they could count twice. */
export class OutcomeUnknown extends DomainError {
  override readonly name = 'OutcomeUnknown';

  constructor(cause?: unknown) {
    super('unavailable', 'The database did not confirm in time that the hits are stored.', { cause });
  }
}
