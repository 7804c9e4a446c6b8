import type { ApiKey } from './api-key.ts';

/** A browser that is signed in with a key (pages.md). It has the rights of the key, and ends with it. */
export interface Session {
  /** SHA-256 of the cookie's text, in hex. The text is random, and only the browser has it. */
  readonly hash: string;
  readonly keyId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A session and the key that it was signed in with. */
export interface SignedIn {
  readonly session: Session;
  readonly key: ApiKey;
}

/**
 * Stores the sessions of all accounts; deleting a key deletes its sessions. Objects are copied in and out. All methods reject
 * with a `DomainError` of code `unavailable` while the database is unreachable or overloaded.
 */
export interface SessionRepository {
  /** @throws DomainError `not_found` if the key does not exist */
  insert(session: Session): Promise<void>;

  /** The session with this hash and its key, even if expired or unusable, or `undefined`. Any string is accepted. */
  find(hash: string): Promise<SignedIn | undefined>;

  /** Deletes the session; false if it does not exist. Any string is accepted. */
  delete(hash: string): Promise<boolean>;

  /** Deletes the sessions of all accounts that have expired at `now`; returns how many. */
  deleteExpired(now: Date): Promise<number>;
}
