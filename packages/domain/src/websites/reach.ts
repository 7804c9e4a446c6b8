import type { WebsiteKey } from './website-key.ts';

/**
 * The websites of an account that somebody reaches. The others count as absent, also where it is asked for their number, their
 * changes or their names (people.md, "Roles"). Every read of an account's websites takes one.
 */
export interface Reach {
  readonly accountId: string;
  /** `null` for all. Ids of websites that are gone reach nothing. */
  readonly websiteIds: readonly string[] | null;
}

/** All websites of an account. */
export function wholeAccount(accountId: string): Reach {
  return { accountId, websiteIds: null };
}

export function reaches({ websiteIds }: Reach, websiteId: string): boolean {
  return websiteIds === null || websiteIds.includes(websiteId);
}

/** No website has this id. */
const NO_WEBSITE = '00000000-0000-0000-0000-000000000000';

/** The website with this id; one that is not reached is the same as an unknown one for all that is done with its key. */
export function websiteIn(reach: Reach, websiteId: string): WebsiteKey {
  return { accountId: reach.accountId, websiteId: reaches(reach, websiteId) ? websiteId : NO_WEBSITE };
}
