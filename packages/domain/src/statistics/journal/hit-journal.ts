import type { TimeZone } from '../calendar/time-zone.ts';
import type { CountedHit } from '../hit.ts';

/** A hit with an identity that no other hit has: the number of its batch, and its place in the batch. */
export interface JournalledHit extends Omit<CountedHit, 'websiteId'> {
  /** Of its website. Unlike an id, which an import can bring back, a number never stands for another website. */
  readonly website: bigint;
  readonly batch: bigint;
  readonly place: number;
}

/** A website as an engine needs it. */
export interface JournalledWebsite {
  readonly number: bigint;
  /** The zone of its days. */
  readonly zone: TimeZone;
  /** The batches with hits of this website that wait; `undefined` if none does. */
  readonly waiting: WaitingBatches | undefined;
}

/** The numbers of the first and the last batch that wait. */
export interface WaitingBatches {
  readonly first: bigint;
  readonly last: bigint;
}

/** All hits that wait to be handed over. */
export interface Backlog {
  readonly hits: number;
  /** When the oldest of them was acknowledged. */
  readonly since: Date | undefined;
}

/**
 * Hands acknowledged hits over to an engine outside of the main database. All instances share it. Methods reject with a
 * `DomainError` of code `unavailable` while the main database is away.
 */
export interface HitJournal {
  /** An id that no other journal has: numbers of websites and batches mean something in one journal only. */
  id(): Promise<string>;

  /** The website with this id, or `undefined` if there is none. */
  findWebsite(websiteId: string): Promise<JournalledWebsite | undefined>;

  /** The zones of the existing websites among these numbers. */
  findZones(websites: readonly bigint[]): Promise<ReadonlyMap<bigint, TimeZone>>;

  /** The numbers of deleted websites that had this id. */
  findDeleted(websiteId: string): Promise<readonly bigint[]>;

  /** The batches that wait; `undefined` if none does. */
  waiting(): Promise<WaitingBatches | undefined>;

  /**
   * Hands over the oldest batches that wait, with about `limit` hits at most, those of deleted websites left out. They no
   * longer wait once `count` has resolved; if it fails, or the process is killed, the same batches are handed over again.
   *
   * @returns whether more batches wait
   */
  handOver(limit: number, count: (hits: readonly JournalledHit[], version: bigint) => Promise<void>): Promise<boolean>;

  /**
   * Runs `work` while no hits are handed over and no other such work runs, by any instance.
   *
   * @param work gets a version, higher than all before
   */
  exclusively<Result>(work: (version: bigint) => Promise<Result>): Promise<Result>;

  /** The version that `handOver` or `exclusively` passed last. */
  latestVersion(): Promise<bigint>;

  /** Lets all batches wait again that were acknowledged since `time` and are still kept. Returns their number. */
  repeatSince(time: Date): Promise<number>;

  /** Deletes a bounded number of batches that were handed over and acknowledged before `time`. Returns whether more are left. */
  deleteBefore(time: Date): Promise<boolean>;

  backlog(): Promise<Backlog>;
}
