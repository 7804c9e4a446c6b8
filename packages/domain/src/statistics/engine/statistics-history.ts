import type { AuditEntry } from '../../audit/entry.ts';
import type { EventOfWebsite } from '../../webhooks/event.ts';
import type { CountedHit } from '../hit.ts';
import type { ImportCounts } from '../imports/import.ts';

/**
 * Adds the hits of imports to an engine, takes them out again, and reads all hits. Methods reject with a `DomainError` of code
 * `unavailable` while a database is away, and can be killed at any point.
 */
export interface StatisticsHistory {
  /**
   * Stores hits of a running import, which do not count yet. Hits of one import have visitors that no other hit has.
   */
  stage(importId: string, hits: readonly CountedHit[]): Promise<void>;

  /**
   * Lets all staged hits count and records that the import is done, and the event, all or none, and leaves the hits in the
   * forms that are fast to read.
   *
   * @returns `false`, without any effect, if the import is not running any more
   * @throws ImportOverlap if another import that is done covers one of its days
   */
  publish(
    importId: string,
    counts: ImportCounts,
    now: Date,
    event?: EventOfWebsite<'import.finished'>,
  ): Promise<boolean>;

  /**
   * Deletes the import and everything that it has added: all numbers are those from before. Numbers of days whose hits were
   * deleted meanwhile remain if they also have hits of another origin.
   *
   * @returns `false` if there is no such import
   */
  remove(importId: string, now: Date, entry?: AuditEntry): Promise<boolean>;

  /** Deletes what was staged for an import that will not be published. */
  discard(importId: string): Promise<void>;

  /** All hits of a website that are kept, by day. */
  hits(websiteId: string): AsyncIterable<CountedHit>;
}
