import type { Day } from '../../calendar/days.ts';
import type { CrawlerHits } from '../../hits/crawlers.ts';
import type { CountedHit } from '../../hits/hit.ts';
import type { DroppedHits } from '../../hits/hit-repository.ts';

/** How far a log has been read for a website. */
export interface LogCheckpoint {
  /** The SHA-256 of the first bytes of the file that was read last, and how many they are. */
  readonly beginning: { readonly bytes: number; readonly sha256: string };
  /** Bytes of that file that were read, uncompressed. */
  readonly offset: number;
  /** The latest second of a line, in seconds since 1970, and how many lines of it were read. */
  readonly second: number;
  readonly linesOfSecond: number;
  /**
   * Lines up to this second may have been read before, and this many lines within it were: the place was lost, and the log has
   * not been read to its end since.
   */
  readonly lost?: { readonly second: number; readonly lines: number };
  /**
   * In base64: identifies the visitors of days whose salt is gone, until the log has been read to its end. A reading that is
   * killed goes on with the same one.
   */
  readonly secret?: string;
}

/** The additions of some lines of a log to a website, and the position after them. */
export interface LogBatch {
  readonly websiteId: string;
  /** The log's name. */
  readonly log: string;
  /** How far it had been read before; `undefined` for a log that is new. */
  readonly from: LogCheckpoint | undefined;
  readonly to: LogCheckpoint;
  readonly hits: readonly CountedHit[];
  readonly dropped: readonly DroppedHits[];
  readonly crawled: readonly CrawlerHits[];
}

/** The most characters of a log's name. */
export const MAX_LOG_NAME = 255;

/**
 * Stores how far logs have been read for a website, until it is deleted. Methods reject with a `DomainError` of code `unavailable`
 * while the database is away.
 */
export interface LogRepository {
  /** How far a log has been read. */
  checkpoint(websiteId: string, log: string): Promise<LogCheckpoint | undefined>;

  /** How far each log has been read, by its name. */
  checkpoints(websiteId: string): Promise<Map<string, LogCheckpoint>>;

  /** The days of the hits that were added, in their order. */
  followedDays(websiteId: string): Promise<Day[]>;

  /**
   * Adds a batch, all or nothing: hits, counters and the checkpoint. Returns `false`, without any effect, if the log has not
   * been read as far as `from`, or further, or the website does not exist.
   */
  add(batch: LogBatch): Promise<boolean>;
}
