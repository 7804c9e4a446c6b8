import type { Day } from '@hitherto/domain/calendar';
import type { CountedHit, CrawlerSums, DroppedHits, HitBatchRecord, NotedHits } from '@hitherto/domain/hits';
import type { Import, LogCheckpoint, ReadLog } from '@hitherto/domain/imports';
import type { DaySum } from '@hitherto/domain/visits';
import type { DayNumbers } from './day-numbers.ts';

/** Everything acknowledged. */
export interface JournalState {
  hits: CountedHit[];
  /** By their `keyHash`. */
  readonly batchRecords: Map<string, HitBatchRecord>;
  dropped: DroppedHits[];
  crawled: CrawlerSum[];
  /** By website, day, kind and value. */
  readonly noted: Map<string, NotedHits>;
  /** By website and log. */
  readonly checkpoints: Map<string, LogCheckpoint>;
  /** By website: the days of hits of logs that are followed. */
  readonly followed: Map<string, Set<Day>>;
  readonly salts: Map<Day, Uint8Array>;
}

/** A part of the sum of an operator and purpose, or of a page, which has no purpose. */
export interface CrawlerSum extends CrawlerSums {
  readonly websiteId: string;
  readonly day: Day;
  readonly list: 'operator' | 'page';
  readonly value: string;
  readonly purpose: string;
}

/** An import, and its hits or sums: they count once it is done. */
export interface ImportState {
  readonly accountId: string;
  imported: Import;
  readonly hits: CountedHit[];
  readonly sums: DaySum[];
  /** The requests of crawlers; they count once the import is done. */
  crawled: CrawlerSum[];
  /** The logs that it has read. */
  logs: readonly ReadLog[];
  /** The days that it covers once it is done. */
  days: Day[];
  isReading: boolean;
  reportedAt: Date;
}

/** The state of the engine, which reads everything else from the journal. */
export interface EngineState {
  /** The numbers of days whose hits are deleted: those before `keptFrom`. */
  summaries: DaySummary[];
  keptFrom: Day;
  /** By id, in the order of their insertion. */
  readonly imports: Map<string, ImportState>;
}

export interface DaySummary {
  readonly websiteId: string;
  readonly day: Day;
  readonly numbers: DayNumbers;
}

/** An empty journal. */
export function emptyJournal(): JournalState {
  return {
    hits: [],
    batchRecords: new Map(),
    dropped: [],
    crawled: [],
    noted: new Map(),
    checkpoints: new Map(),
    followed: new Map(),
    salts: new Map(),
  };
}

/** An engine that has counted nothing. */
export function emptyEngine(): EngineState {
  return { summaries: [], keptFrom: '0001-01-01', imports: new Map() };
}
