import type { Change } from '../changes/change.ts';
import type { PersonMail } from './mail.ts';

/**
 * What a one-time link is for: a new password, a sign-in (with `people link`), or to show that an address is somebody's. The first
 * two are ways in.
 */
export type LinkPurpose = 'password' | 'sign_in' | 'address';

/** A one-time link of somebody who has a sign-in, or asks for a new password as if they had (people.md, "Recovery"). */
export interface PersonLink {
  /** SHA-256 of the token in its address, in hex. */
  readonly tokenHash: string;
  readonly purpose: LinkPurpose;
  /** Whose it is; `null` for a new password: then it is of whoever has verified the address. */
  readonly personId: string | null;
  /** Where it is mailed to; `null` for a sign-in. */
  readonly email: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The most links of a purpose in an hour, for a person or an address. */
export const MAX_LINKS_AN_HOUR = 3;

/**
 * Stores one-time links, which no backup has. Those of a person are deleted with the person, and with a change of their password or
 * address. All methods accept any string, and reject with a `DomainError` of code `unavailable` while the database is unreachable.
 */
export interface PersonLinkRepository {
  /**
   * Adds a link, and records its mail and changes, unless there are {@link MAX_LINKS_AN_HOUR} already: then it returns false. It takes the same
   * work whether anybody has the address. A link that signs in replaces an earlier one.
   *
   * @throws DomainError `not_found` if there is no such person; `no_secret_key` as `PeopleRepository.insertInvitation`
   */
  insert(link: PersonLink, mail: PersonMail | undefined, changes?: readonly Change[]): Promise<boolean>;

  /** The link with this hash, even if expired, or `undefined`. */
  find(tokenHash: string): Promise<PersonLink | undefined>;

  /** Uses the link up; false if that was done. */
  delete(tokenHash: string): Promise<boolean>;

  /** Deletes the links that have expired at `now`; returns how many. */
  deleteExpired(now: Date): Promise<number>;
}
