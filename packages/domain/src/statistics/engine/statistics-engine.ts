import type { Day } from '../calendar/days.ts';
import type { StatisticsRepository } from './statistics-repository.ts';

/**
 * Turns the hits of the journal into numbers. Everything in it is derived from hits, so one engine can replace another.
 */
export interface StatisticsEngine {
  readonly statistics: StatisticsRepository;
  readonly maintenance: StatisticsMaintenance;
}

/**
 * The background work on statistics. Each method does a bounded piece of it, may be called by any number of instances
 * at any time, and can be killed at any point: no number changes. It returns whether more is left to do.
 */
export interface StatisticsMaintenance {
  /** Brings visits up to date with the hits that have been added since. */
  updateVisits(): Promise<boolean>;

  /**
   * Summarises days before `today` that have no summary or have changed since. May prepare later days, too, so that they
   * are read sooner.
   */
  summarise(today: Day): Promise<boolean>;

  /** Deletes the statistics of deleted websites. */
  purge(): Promise<boolean>;

  /** Removes raw hits and visits of days before `day`; their summaries stay. */
  deleteHitsBefore(day: Day): Promise<boolean>;

  /** Creates the partitions for the months from `today` on. */
  prepare(today: Day): Promise<void>;

  /**
   * Rebuilds visits and summaries from the stored raw hits; absent bounds mean all days. Returns the number of days.
   */
  rebuild(what: { readonly websiteId?: string; readonly from?: Day; readonly to?: Day }): Promise<number>;
}
