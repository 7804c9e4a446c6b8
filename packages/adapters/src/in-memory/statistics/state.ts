import type { CountedHit, Day, DroppedHits, HitBatchRecord } from '@hitherto/domain';
import type { DayNumbers } from './day-numbers.ts';

/** All stored statistics. */
export interface StatisticsState {
  hits: CountedHit[];
  readonly batches: Set<string>;
  /** By their `keyHash`. */
  readonly batchRecords: Map<string, HitBatchRecord>;
  dropped: DroppedHits[];
  readonly salts: Map<Day, Uint8Array>;
  /** The numbers of days whose hits are deleted: those before `keptFrom`. */
  summaries: DaySummary[];
  keptFrom: Day;
}

export interface DaySummary {
  readonly websiteId: string;
  readonly day: Day;
  readonly numbers: DayNumbers;
}

/** An empty state. */
export function emptyStatistics(): StatisticsState {
  return {
    hits: [],
    batches: new Set(),
    batchRecords: new Map(),
    dropped: [],
    salts: new Map(),
    summaries: [],
    keptFrom: '0001-01-01',
  };
}
