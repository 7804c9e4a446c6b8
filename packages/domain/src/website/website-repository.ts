import type { StoreRecord } from './idempotency.ts';
import type { Website } from './website.ts';

/** Which websites of an account a list shows, and in which order. */
export interface WebsiteFilter {
  /** Plain text, case folded, that occurs in a line of a website's search text (`searchTextOf`); absent for all websites. */
  readonly search?: string;
  /** By address in byte order, or by id, the newest first. */
  readonly order: 'address_asc' | 'address_desc' | 'newest_first';
}

/**
 * A cut in the order of a list, at the sort key (address or id) of a website that stood there: a page holds what comes
 * after it, or what comes up to it and including it. The website itself need not exist any more.
 */
export interface Cut {
  readonly side: 'after' | 'up_to';
  readonly key: string;
}

/** A page of a list, in the order asked for. */
export interface WebsitePage {
  readonly websites: readonly Website[];
  /** Where the page before and the page after begin; `undefined` where there is no such page. */
  readonly previous: Cut | undefined;
  readonly next: Cut | undefined;
  /** How many websites match, counted no further than {@link COUNT_LIMIT}. */
  readonly total: number;
  readonly totalIsExact: boolean;
}

/** Counting stops here, so that a list of millions costs what a list of thousands does (decisions.md, "List"). */
export const COUNT_LIMIT = 10_000;

/**
 * Keeps the websites of all accounts. Every method sees and touches only the account that it is given; another account's
 * website is as absent as one that never was. Objects are copied in and out. What cannot be reached or is overloaded
 * rejects with a `DomainError` of code `unavailable`.
 */
export interface WebsiteRepository {
  /** The website, or `undefined`. Any text is accepted as an id. */
  find(accountId: string, id: string): Promise<Website | undefined>;

  /** At most `limit` websites at the cut, or at the beginning; page and total are read in one snapshot each. */
  list(accountId: string, filter: WebsiteFilter, limit: number, cut?: Cut): Promise<WebsitePage>;

  /**
   * Adds a website, and with it the record of a store that may be repeated, both or neither. A record of the same
   * `keyHash` that is younger than its `expiresAt` wins: then nothing is written and that record is the answer. A
   * concurrent insert with the same `keyHash` is waited for.
   *
   * @returns the earlier record, or `undefined` where the website was added
   * @throws UrlTaken where the account has a website of the same address
   * @throws DomainError `not_found` where the account is gone
   */
  insert(accountId: string, website: Website, record?: StoreRecord): Promise<StoreRecord | undefined>;

  /** The record of an earlier store by the hash of its key, unless it has expired at `now`. */
  findStoreRecord(accountId: string, keyHash: string, now: Date): Promise<StoreRecord | undefined>;

  /** Drops the records that have expired at `now`, of all accounts; answers how many. */
  deleteExpiredStoreRecords(now: Date): Promise<number>;

  /**
   * Puts the website in the place of its version `expected`, atomically.
   *
   * @returns false where that version is not there any more, be it changed or gone; nothing is written then
   * @throws UrlTaken where another website of the account has the same address
   */
  replace(accountId: string, website: Website, expected: Date): Promise<boolean>;

  /**
   * Removes the website, or only its version `expected` where one is given.
   *
   * @returns false where it is not there, or not in that version
   */
  delete(accountId: string, id: string, expected?: Date): Promise<boolean>;
}
