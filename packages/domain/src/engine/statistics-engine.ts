import type { Job } from '../base/job.ts';
import type { Day } from '../calendar/days.ts';
import type { ImportStaging } from '../imports/import-staging.ts';
import type { HidingRule } from '../visits/hiding.ts';
import type { StatisticsRepository } from './statistics-repository.ts';

/**
 * Turns the hits of the journal into numbers. Everything in it is derived from hits, so one engine can replace another.
 */
export interface StatisticsEngine {
  readonly statistics: StatisticsRepository;
  readonly maintenance: StatisticsMaintenance;
  readonly staging: ImportStaging;
}

/** Which statistics are rebuilt: all websites and days, unless bounds are given. Both days are included. */
export interface RebuildScope {
  readonly websiteId?: string;
  readonly from?: Day;
  readonly to?: Day;
}

/** How far a rebuild is, in days of websites. */
export interface RebuildProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * The upkeep of an engine. No method except `forget` changes a number. Each may be called by any number of instances at
 * any time, and can be killed at any point.
 */
export interface StatisticsMaintenance {
  /** The regular work of this engine, for the program to run. */
  jobs(now: () => Date): readonly Job[];

  /**
   * Resolves when all hits acknowledged before the call are in the forms that are fastest to read, of days that are over at
   * `now` and of others.
   */
  settle(now: Date): Promise<void>;

  /** Deletes a bounded part of the statistics of a deleted website. Returns whether more is left. */
  forget(websiteId: string): Promise<boolean>;

  /**
   * Deletes a bounded part of the raw hits of days before `day`, which can then no longer be filtered; their other numbers
   * stay. Returns whether more is left.
   */
  deleteHitsBefore(day: Day): Promise<boolean>;

  /**
   * Deletes the hits of the visits of a day that a rule hides, for good, also from the journal, as far as they are kept. Numbers
   * without hidden visits stay.
   */
  erase(websiteId: string, day: Day, rule: HidingRule): Promise<void>;

  /** The first day whose hits are not deleted: a hit of an earlier day is in no number. */
  keptFrom(): Promise<Day>;

  /**
   * Computes statistics again from the stored raw hits, and settles them as `settle` does. Returns the number of days of
   * websites.
   */
  rebuild(scope: RebuildScope, now: Date, onProgress?: (progress: RebuildProgress) => void): Promise<number>;
}
