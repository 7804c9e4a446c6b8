import type { ResourceRepository } from '../resources/resource-repository.ts';
import type { DirectoryEntry } from '../websites/website-directory.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { SharedLink } from './link.ts';

/** A link with its website and the account that tracks it. */
export interface FoundLink extends DirectoryEntry {
  readonly link: SharedLink;
}

/** Stores the shared links of websites, expired ones included. An insert throws `InvalidFields` `unknown_segment` as well. */
export interface LinkRepository extends ResourceRepository<WebsiteKey, SharedLink> {
  /** The link of any account whose token has this hash, even if it has expired, or `undefined`. Any string is accepted. */
  findByToken(tokenHash: string): Promise<FoundLink | undefined>;
}
