import type { Day } from '../calendar/days.ts';
import type { TimeZone } from '../calendar/time-zone.ts';
import type { Change } from '../changes/change.ts';
import type { CountedHit } from '../hits/hit.ts';
import type { ImportCounts, ImportedLogs } from '../imports/import.ts';
import type { ImportEvent } from '../imports/import-event.ts';
import type { HitKey } from '../visits/hidden-hits.ts';
import type { HidingRule } from '../visits/hiding.ts';

/** A counted hit as an engine has it. */
export interface EngineHit extends Omit<CountedHit, 'websiteId'> {
  /** Of its website. Unlike an id, which an import can bring back, a number never stands for another website. */
  readonly website: bigint;
  /** The number of its import; absent of a hit that was collected. */
  readonly importNumber?: bigint;
}

/**
 * A counted hit in the journal, of which only the fields that an engine needs to place it are parsed: parsing all of it on its
 * way to an engine would take longer than collecting it. No other hit has its batch and its place there.
 */
export interface WrittenHit extends Pick<EngineHit, 'website' | 'day'> {
  readonly batch: bigint;
  readonly place: number;
  /**
   * The other fields as an object in JSON: `visitor` as a decimal string, `time` in ISO 8601, `props` as an object of strings, and
   * its strings by the names in `HIT_STRINGS`. Fields that are `null` are left out.
   */
  readonly fields: string;
}

/** A website as an engine needs it. */
export interface JournalledWebsite {
  readonly number: bigint;
  /** The zone of its days. */
  readonly zone: TimeZone;
  /** The batches with hits of this website that wait; `undefined` if none does. */
  readonly waiting: WaitingBatches | undefined;
  /** The numbers of its imports that are done: hits of others do not count. */
  readonly imports: readonly bigint[];
  /** The rules that hide its visits. */
  readonly rules: readonly HidingRule[];
  /** The rules that show its pages. */
  readonly pageRules: readonly string[];
}

/** The numbers of the first and the last batch that wait. */
export interface WaitingBatches {
  readonly first: bigint;
  readonly last: bigint;
}

/** An import as an engine needs it. */
export interface JournalledImport {
  readonly number: bigint;
  /** The number of its website. */
  readonly website: bigint;
  readonly isRunning: boolean;
  /** Whether it has sums of days, and no hits. */
  readonly hasSums: boolean;
  /** The days that it covers, once it is done. */
  readonly days: readonly DayOfImport[];
}

/** How many hits of an import a day has; of sums, pageviews and events. */
export interface DayOfImport {
  readonly day: Day;
  readonly hits: number;
}

/** All hits that wait to be handed over. */
export interface Backlog {
  readonly hits: number;
  /** When the oldest of them was acknowledged. */
  readonly since: Date | undefined;
}

/** Hits were handed over to an engine outside of the main database, or could not be. */
export interface HandOverEvent {
  readonly outcome: 'done' | 'failed';
  readonly hits: number;
  readonly seconds: number;
}

/**
 * Hands acknowledged hits over to an engine outside of the main database. All instances share it. Methods reject with a
 * `DomainError` of code `unavailable` while the main database is away.
 */
export interface HitJournal {
  /** An id that no other journal has: numbers of websites and batches mean something in one journal only. */
  id(): Promise<string>;

  /**
   * Gives new websites and imports higher numbers than these, for which an engine already has rows: a restored backup of the
   * database can be older than the engine.
   */
  raiseNumbersAbove(last: { readonly website: bigint; readonly import: bigint }): Promise<void>;

  /** The website with this id, or `undefined` if there is none. */
  findWebsite(websiteId: string): Promise<JournalledWebsite | undefined>;

  /** The zones of the existing websites among these numbers. */
  findZones(websites: readonly bigint[]): Promise<ReadonlyMap<bigint, TimeZone>>;

  /** The rules that hide visits, of each existing website that has some. */
  findRules(): Promise<ReadonlyMap<bigint, readonly HidingRule[]>>;

  /** The rules that show pages, of each existing website that has some. */
  findPageRules(): Promise<ReadonlyMap<bigint, readonly string[]>>;

  /** The numbers of deleted websites that had this id. */
  findDeleted(websiteId: string): Promise<readonly bigint[]>;

  /** The batches that wait; `undefined` if none does. */
  waiting(): Promise<WaitingBatches | undefined>;

  /**
   * Hands over the oldest batches that wait, with about `limit` hits at most, those of deleted websites left out. They no
   * longer wait once `count` has resolved; if it fails, or the process is killed, the same batches are handed over again.
   *
   * @returns whether the limit was reached, so that more may wait than the batches that have arrived since
   */
  handOver(limit: number, count: (hits: readonly WrittenHit[], version: bigint) => Promise<void>): Promise<boolean>;

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

  /** Deletes hits from the batches that are kept; the others keep their places. */
  erase(website: bigint, day: Day, hits: readonly HitKey[]): Promise<void>;

  /** How far the engine is behind. */
  backlog(): Promise<Backlog>;

  /** The import with this id, or `undefined` if there is none. */
  findImport(importId: string): Promise<JournalledImport | undefined>;

  /** The numbers of the imports that are running or done. */
  importNumbers(which: 'running' | 'done'): Promise<readonly bigint[]>;

  /**
   * Records that a running import is done and covers these days, and the event, both or neither. From then on its hits count.
   * Returns `false` if it does not run.
   *
   * @throws ImportOverlap if another import covers one of the days
   * @throws LogConflict if the place of a log has changed since
   */
  endImport(
    importId: string,
    days: readonly DayOfImport[],
    counts: ImportCounts,
    event: ImportEvent | undefined,
    read: ImportedLogs | undefined,
  ): Promise<boolean>;

  /**
   * Deletes the record of an import, whose hits do not count from then on. Returns `false` if there is none.
   *
   * @param options.keepsNumbers whether a day keeps numbers of the import, so that its logs must not be read again
   * @param options.beforeCommit runs last before the commit; if it rejects, the record stays
   */
  deleteImport(
    importId: string,
    options: {
      readonly keepsNumbers: boolean;
      readonly change: Change;
      readonly beforeCommit: () => Promise<void>;
    },
  ): Promise<boolean>;
}
