import type { Day } from '../calendar/days.ts';
import type { DaySum, NumberKind } from '../visits/day-sum.ts';
import type { Totals } from '../visits/totals.ts';
import type { EngineHit } from './hit-journal.ts';

/** A day of a website, which its number stands for. */
export interface WebsiteDay {
  readonly website: bigint;
  readonly day: Day;
}

/** A visitor on a day. */
export interface VisitorDay extends WebsiteDay {
  readonly visitor: bigint;
}

/** A day with hits that are kept. */
export interface StoredDay extends WebsiteDay {
  readonly hits: number;
}

/** A sum of an imported day on its way from one engine to another. */
export interface MovedSum extends DaySum {
  readonly website: bigint;
  readonly importNumber: bigint;
}

/** The numbers of a day by the values of one kind. */
export interface StoredSummary extends WebsiteDay {
  readonly kind: NumberKind;
  /** A value of the kind `hour` is its start in seconds; `total` has the value `null`. */
  readonly values: readonly (Totals & { readonly value: string | null })[];
}

/**
 * Everything that an engine stores: hits, the summaries of days whose hits are deleted, and sums of imported days. All else is
 * made of them. Methods
 * reject with a `DomainError` of code `unavailable` while the engine is away, and can be repeated then.
 */
export interface StatisticsStore {
  /** The days with hits, of existing websites. All hits that were acknowledged before the call are in it. */
  days(): Promise<readonly StoredDay[]>;

  /**
   * The hits of days, in pieces that have all hits of their visitors. A single day may have any number of hits, several days of
   * one month few enough for one piece.
   */
  hitsOf(days: readonly WebsiteDay[]): AsyncIterable<readonly EngineHit[]>;

  /** Replaces the hits of days of one month with such pieces; a day that has none in them loses its hits. */
  replaceDays(days: readonly WebsiteDay[], hits: AsyncIterable<readonly EngineHit[]>): Promise<void>;

  /** All hits of these visitors that were acknowledged before the call. */
  hitsOfVisitors(visitors: readonly VisitorDay[]): Promise<readonly EngineHit[]>;

  /** Replaces the hits of these visitors. */
  replaceVisitors(visitors: readonly VisitorDay[], hits: readonly EngineHit[]): Promise<void>;

  /** Hits of earlier days are deleted, and only their summaries count. */
  keptFrom(): Promise<Day>;

  /** The summaries of days before {@link keptFrom}, of existing websites. */
  oldSummaries(): AsyncIterable<readonly StoredSummary[]>;

  /** Replaces the summaries of days before `keptFrom`, whose hits no longer count then. */
  replaceOldSummaries(keptFrom: Day, summaries: AsyncIterable<readonly StoredSummary[]>): Promise<void>;

  /** The sums of imports that are done. */
  importedSums(): AsyncIterable<readonly MovedSum[]>;

  /** Replaces all of them. */
  replaceImportedSums(sums: AsyncIterable<readonly MovedSum[]>): Promise<void>;

  /**
   * Deletes everything.
   *
   * @throws DomainError `unavailable` if others use the tables for longer than hits may wait behind it
   */
  clear(): Promise<void>;
}

/** Hits that are collected while statistics move; all instances are meant. */
export interface ArrivingHits {
  /** Forgets the visitors noted so far, and notes the visitors of hits from now on. The engine that is left has all earlier hits. */
  watch(): Promise<void>;

  /** Ends that, also after another process was killed. */
  unwatch(): Promise<void>;

  /** Passes a bounded number of noted visitors to `work`, and forgets them once it has resolved. Returns whether more are left. */
  take(work: (visitors: readonly VisitorDay[]) => Promise<void>): Promise<boolean>;

  /**
   * Stops collecting while `work` runs, and then gives the statistics to the target: hits go there. If `work` rejects, collecting
   * goes on as before. Hits wait for some seconds before they are rejected.
   */
  switchOver(work: () => Promise<void>): Promise<void>;
}
