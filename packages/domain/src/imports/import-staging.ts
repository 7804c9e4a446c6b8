import type { Change } from '../changes/change.ts';
import type { CountedHit } from '../hits/hit.ts';
import type { DaySum } from '../visits/day-sum.ts';
import type { ImportCounts, ImportedLogs } from './import.ts';
import type { ImportEvent } from './import-event.ts';

/**
 * Adds the hits of imports to an engine, takes them out again, and reads all hits. Methods reject with a `DomainError` of code
 * `unavailable` while a database is away, and can be killed at any point.
 */
export interface ImportStaging {
  /**
   * Stores hits of a running import, which do not count yet. Only hits of access logs can share visitors with other hits.
   */
  stage(importId: string, hits: readonly CountedHit[]): Promise<void>;

  /**
   * Stores sums of days of a running import, which do not count yet. Sums of the same day, kind and value are added up. They
   * never change: no hits are behind them, and retention leaves them alone.
   */
  stageSums(importId: string, sums: readonly DaySum[]): Promise<void>;

  /**
   * Lets all staged hits and sums count and records that the import is done, and the event, all or none, and leaves the hits in
   * the forms that are fast to read.
   *
   * @param read the logs that it has read; their places are recorded with it
   * @returns `false`, without any effect, if the import is not running any more
   * @throws ImportOverlap if another import that is done covers one of its days
   * @throws LogConflict if the place of a log has changed since
   */
  publish(
    importId: string,
    counts: ImportCounts,
    now: Date,
    event: ImportEvent | undefined,
    read: ImportedLogs | undefined,
  ): Promise<boolean>;

  /**
   * Deletes the import and everything that it has added: all numbers are as they were before. Numbers of days whose
   * hits have since been deleted remain if the days also have other hits. Unless there are such days, logs are read again from where it began,
   * once no later import of them is left.
   *
   * @returns `false` if there is no such import
   */
  remove(importId: string, now: Date, change: Change): Promise<boolean>;

  /** Deletes the staged rows of an import that will not be published. */
  discard(importId: string): Promise<void>;

  /** All hits of a website that are kept, by day, with the visitors that count. */
  hits(websiteId: string): AsyncIterable<CountedHit>;
}
