import type { Day } from '../calendar/days.ts';
import type { Crawler } from './hit.ts';

/** Sums of bots' hits. */
export interface CrawlerSums {
  readonly hits: number;
  /** Those among them with a status from 400 to 499; the collector knows no status. */
  readonly hits4xx: number;
}

/** How often bots of one operator and purpose asked for a page of a website on a day. */
export interface CrawlerHits extends Crawler, CrawlerSums {
  readonly websiteId: string;
  readonly day: Day;
  /** As in a hit: the path with the rest of the query. */
  readonly page: string;
}

/** The lists of crawlers: who asks, what for, and for which pages. */
export const CRAWLER_LISTS = ['operator', 'purpose', 'page'] as const;
export type CrawlerList = (typeof CRAWLER_LISTS)[number];

/** How many operators and pages of a day are kept once it is over; all others become one value, `(other)`. */
export const MAX_CRAWLER_VALUES = 1_000;

/** The values of a list, most hits first, then in byte order. */
export interface CrawlerValues {
  readonly rows: readonly (CrawlerSums & { readonly value: string })[];
  /** How many values the whole list has. */
  readonly total: number;
}

/**
 * The sums of bots' hits by day, operator and purpose, and by day and page. They are kept until the website is deleted. Methods
 * but `add` reject with a `DomainError` of code `unavailable` while the database is away.
 */
export interface CrawlerRepository {
  /**
   * Adds to the sums within a second, or once the database is back. Waits for nothing and never fails. If the process is
   * killed, the last second is lost. Leaves out hits of unknown websites.
   */
  add(crawled: CrawlerHits): void;

  /** The sums of each day with hits, both days included, in order of time. */
  byDay(websiteId: string, from: Day, to: Day): Promise<(CrawlerSums & { readonly day: Day })[]>;

  /** The first values of a list in these days, both included. */
  values(websiteId: string, from: Day, to: Day, list: CrawlerList, limit: number): Promise<CrawlerValues>;

  /**
   * Keeps the {@link MAX_CRAWLER_VALUES} operators and pages with the most hits of one day of a website among these days,
   * both included. Returns whether there may be more to do.
   */
  trim(from: Day, to: Day): Promise<boolean>;

  /** Deletes the sums of a deleted website. */
  deleteAll(websiteId: string): Promise<void>;
}
