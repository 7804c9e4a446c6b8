import type { Change } from '../changes/change.ts';
import type { IdempotencyRecord } from '../changes/idempotency-record.ts';
import type { Reach } from './reach.ts';
import type { Website } from './website.ts';
import type { WebsiteEvent } from './website-event.ts';
import type { WebsiteName } from './website-name.ts';
import type { CursorPosition, WebsiteFilter, WebsitePage } from './website-page.ts';

/** A change of a website, and its event for webhooks. */
export interface WebsiteChange extends Change {
  readonly event: WebsiteEvent | undefined;
}

/** What a move is in the account that the website leaves, and in the one where it arrives. */
export interface WebsiteMove {
  readonly left: WebsiteChange;
  readonly arrived: WebsiteChange;
}

/**
 * Stores the websites of all accounts. Reads see what is reached, and writes the given account; all other websites count as
 * absent. Objects are copied in and out. Every method rejects with a `DomainError` of
 * code `unavailable` when the database cannot be reached or is overloaded. The audit entry of a change, and the deliveries of
 * its event to webhooks, are written with it, all or nothing.
 */
export interface WebsiteRepository {
  /** The website, or `undefined`. Any string is accepted as an id. */
  find(reach: Reach, id: string): Promise<Website | undefined>;

  /**
   * At most `limit` websites from the position on, or from the beginning; page and total are read in one snapshot each.
   * Any string is accepted as the position's key.
   */
  list(reach: Reach, filter: WebsiteFilter, limit: number, position?: CursorPosition): Promise<WebsitePage>;

  /** The first `limit` websites by address in byte order, without their settings. */
  names(reach: Reach, limit: number): Promise<readonly WebsiteName[]>;

  /**
   * Adds a website, and with it the idempotency record of the request, both or neither. An earlier record of the same
   * `keyHash` that has not expired wins: then nothing is written. Waits for a concurrent insert with the same `keyHash`.
   *
   * @returns the earlier record, or `undefined` if the website was added
   * @throws UrlTaken if the account has a website with the same address
   * @throws AliasTaken if another website of any account has one of the aliases
   * @throws DomainError `not_found` if the account does not exist
   */
  insert(accountId: string, website: Website, change: WebsiteChange): Promise<IdempotencyRecord | undefined>;

  /**
   * Replaces version `expected` of the website, atomically.
   *
   * @returns false, without writing, if that version has since been changed or deleted
   * @throws UrlTaken if another website of the account has the same address
   * @throws AliasTaken if another website of any account has one of the aliases
   */
  replace(accountId: string, website: Website, expected: Date, change: WebsiteChange): Promise<boolean>;

  /**
   * Moves the website to the account `to`, with everything that belongs to it. The keys, members, invitations and webhooks of the
   * account `from` forget it: those that have no other website then have none, and a webhook is turned off.
   *
   * @returns false if it does not exist
   * @throws UrlTaken if the account `to` has a website with the same address
   * @throws DomainError `not_found` if the account `to` does not exist
   */
  move(from: string, id: string, to: string, changes: WebsiteMove): Promise<boolean>;

  /**
   * Deletes the website, or only its version `expected` unless that is `undefined`.
   *
   * @returns false if it does not exist, or not in that version
   */
  delete(accountId: string, id: string, expected: Date | undefined, change: WebsiteChange): Promise<boolean>;
}
