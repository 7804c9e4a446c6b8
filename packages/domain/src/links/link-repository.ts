import type { Change } from '../changes/change.ts';
import type { DirectoryEntry } from '../websites/website-directory.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { SharedLink } from './link.ts';

/** A link with its website and the account that tracks it. */
export interface FoundLink extends DirectoryEntry {
  readonly link: SharedLink;
}

/**
 * Stores the shared links of websites; they are deleted with their website. Objects are copied in and out. Every method accepts
 * any string as an id or a hash, and rejects with a `DomainError` of code `unavailable` when the database cannot be reached
 * or is overloaded. The audit entry of a change is written with it, both or neither.
 */
export interface LinkRepository {
  /** All links in the order in which they were inserted, expired ones included; `undefined` if there is no such website. */
  list(website: WebsiteKey): Promise<SharedLink[] | undefined>;

  /** The link of any account whose token has this hash, even if it has expired, or `undefined`. */
  findByToken(tokenHash: string): Promise<FoundLink | undefined>;

  /**
   * Adds a link.
   *
   * @returns false, without writing, if there is no such website, or it has no such segment
   * @throws DomainError `too_many_links` if the website has as many as it may have, also under concurrency
   */
  insert(website: WebsiteKey, link: SharedLink, change: Change): Promise<boolean>;

  /** Deletes the link; false if it does not exist. */
  delete(website: WebsiteKey, id: string, change: Change): Promise<boolean>;
}
