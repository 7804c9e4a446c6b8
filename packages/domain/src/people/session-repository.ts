import type { ApiKey } from '../access/api-key.ts';
import type { Member } from './member.ts';
import type { Person } from './person.ts';

/** A browser that is signed in, as a person or with a key (people.md, "The pages"). */
export interface Session {
  /** SHA-256 of the cookie's text, in hex. The text is random, and only the browser has it. */
  readonly hash: string;
  /** Who is signed in: a person, or whoever has a key, whose rights it has and with which it ends. */
  readonly of: { readonly personId: string } | { readonly keyId: string };
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Accurate to an hour. */
  readonly lastUsedAt: Date;
  /** The name of the browser, if it is known. */
  readonly browser: string | null;
  /** The /24 of an IPv4, the /48 of an IPv6 address. */
  readonly network: string | null;
}

/** A session with its key. */
export interface SignedInKey {
  readonly session: Session;
  readonly key: ApiKey;
}

/** A session with its person, and the accounts that the person is in. */
export interface SignedInPerson {
  readonly session: Session;
  readonly person: Person;
  readonly members: readonly Member[];
  /** Whether the person has a second factor, and whether one of the accounts requires it. */
  readonly secondFactor: { readonly isOn: boolean; readonly isRequired: boolean };
}

export type SignedIn = SignedInKey | SignedInPerson;

/** A sign-in that waits for the second factor, in one browser. It is no session, and never becomes one. */
export interface PendingSignIn {
  /** SHA-256 of the text of its cookie, in hex. */
  readonly hash: string;
  /** `null` where a passkey will say who it is. */
  readonly personId: string | null;
  /** How long the session will last, in milliseconds. */
  readonly sessionMs: number;
  readonly expiresAt: Date;
}

/** The most sessions of a person; with another one, the oldest ends. */
export const MAX_SESSIONS = 20;

/**
 * Stores sessions; those of a key or a person are deleted with them. Objects are copied in and out. All methods reject
 * with a `DomainError` of code `unavailable` while the database is unreachable or overloaded.
 */
export interface SessionRepository {
  /**
   * Adds a session. A person has at most {@link MAX_SESSIONS}: the oldest are deleted.
   *
   * @throws DomainError `not_found` if the key or the person does not exist
   */
  insert(session: Session): Promise<void>;

  /** The session with this hash, even if expired or its key is unusable, or `undefined`. Any string is accepted. */
  find(hash: string): Promise<SignedIn | undefined>;

  /** The sessions of a person, those last used first. */
  list(personId: string): Promise<Session[]>;

  /** Records that a session was used, if that is later than what is known. */
  touch(hash: string, at: Date): Promise<void>;

  /** Deletes the session; false if it does not exist. Any string is accepted. */
  delete(hash: string): Promise<boolean>;

  /**
   * Adds a sign-in that waits. It ends with the person's sessions, wherever all or all others end.
   *
   * @throws DomainError `not_found` if the person does not exist
   */
  insertPending(pending: PendingSignIn): Promise<void>;

  /** The sign-in that waits with this hash, even if expired, or `undefined`. Any string is accepted. */
  findPending(hash: string): Promise<PendingSignIn | undefined>;

  /** Counts a try of it, and returns which one it is; `undefined` if there is no such sign-in. */
  countTry(hash: string): Promise<number | undefined>;

  /** Deletes it; false if it does not exist. */
  deletePending(hash: string): Promise<boolean>;

  /** Deletes the sessions that have expired at `now`, and the sign-ins that wait; returns how many sessions. */
  deleteExpired(now: Date): Promise<number>;
}
