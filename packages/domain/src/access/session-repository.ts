import type { ApiKey } from './api-key.ts';
import type { Session } from './session.ts';

/** A session with the key that it was signed in with. */
export interface SignedIn {
  readonly session: Session;
  readonly key: ApiKey;
}

/**
 * Keeps the sessions of all accounts; those of a key that is gone are gone, too. Objects are copied in and out. What cannot
 * be reached or is overloaded rejects with a `DomainError` of code `unavailable`.
 */
export interface SessionRepository {
  /** @throws DomainError `not_found` where the key is gone */
  insert(session: Session): Promise<void>;

  /** The session of this hash with its key, expired sessions and unusable keys too, or `undefined`. Any text is accepted. */
  find(hash: string): Promise<SignedIn | undefined>;

  /** Removes the session; false where it is not there. Any text is accepted. */
  delete(hash: string): Promise<boolean>;

  /** Removes the sessions that have expired at `now`, of all accounts; returns how many. */
  deleteExpired(now: Date): Promise<number>;
}
