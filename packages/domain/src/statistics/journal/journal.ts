import type { CrawlerRepository } from './crawlers.ts';
import type { DroppedHitsRepository } from './dropped-hits.ts';
import type { HitBatchRepository } from './hit-batch.ts';
import type { HitRepository } from './hit-repository.ts';
import type { LogRepository } from './logs.ts';
import type { SaltRepository } from './salts.ts';

/**
 * Acknowledges hits: they are stored together with the records of their batches and the counters of dropped hits, in one
 * transaction. It is in the same database as the settings, whatever engine counts the hits.
 */
export interface Journal {
  readonly hits: HitRepository;
  readonly batches: HitBatchRepository;
  readonly salts: SaltRepository;
  readonly droppedHits: DroppedHitsRepository;
  readonly crawlers: CrawlerRepository;
  readonly logs: LogRepository;
}
