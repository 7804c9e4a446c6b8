import { hash as digest } from 'node:crypto';
import type { AccessRepository } from '../access/access-repository.ts';
import { isUsable } from '../access/api-key.ts';
import { authenticate } from '../access/keys.ts';
import { type Viewer, viewerOfKey } from '../access/rights.ts';
import { viewerOfMember } from './member.ts';
import type { Session, SessionRepository, SignedIn, SignedInKey } from './session-repository.ts';

const SESSION_BYTES = 32;
/** How long a session lasts, in milliseconds: 30 days. */
export const SESSION_MS = 30 * 24 * 60 * 60 * 1000;
/** How old the time of the last use may be that is known. */
const USE_MS = 60 * 60 * 1000;

/** The dependencies of the session use cases. */
export interface SessionDependencies {
  readonly access: AccessRepository;
  readonly sessions: SessionRepository;
  readonly now: () => Date;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The browser that signs in. */
export type Browser = Pick<Session, 'browser' | 'network'>;

/**
 * Starts a session; the result is the cookie's text, which is stored nowhere.
 *
 * @param lastsMs how long it lasts, in milliseconds
 */
export async function startSession(
  deps: Pick<SessionDependencies, 'sessions' | 'now' | 'randomBytes'>,
  of: Session['of'],
  { browser, network }: Browser,
  lastsMs: number,
): Promise<string> {
  const { text, hash } = makeSessionText(deps);
  const createdAt = deps.now();
  const expiresAt = new Date(createdAt.getTime() + lastsMs);
  await deps.sessions.insert({ hash, of, createdAt, expiresAt, lastUsedAt: createdAt, browser, network });
  return text;
}

/** Starts a session with a key; `undefined` if it is not valid. */
export async function signInWithKey(
  deps: SessionDependencies,
  keyText: string,
  browser: Browser,
): Promise<string | undefined> {
  const key = await authenticate(deps, keyText);
  if (key === undefined) return undefined;
  const text = await startSession(deps, { keyId: key.id }, browser, SESSION_MS);
  await deps.access.recordKeyUse(new Map([[key.id, deps.now()]]));
  return text;
}

/** The session of a cookie; `undefined` if it has ended or its key is no longer valid. */
export async function findSession(
  deps: Pick<SessionDependencies, 'sessions' | 'now'>,
  text: string,
): Promise<SignedIn | undefined> {
  const hash = hashSession(text);
  const found = hash === undefined ? undefined : await deps.sessions.find(hash);
  const now = deps.now();
  if (found === undefined || now >= found.session.expiresAt) return undefined;
  if (isOfKey(found)) return isUsable(found.key, now) ? found : undefined;
  if (now.getTime() - found.session.lastUsedAt.getTime() >= USE_MS) await deps.sessions.touch(found.session.hash, now);
  return found;
}

/** Ends the session of a cookie, if there is one. */
export async function signOut(deps: Pick<SessionDependencies, 'sessions'>, text: string): Promise<void> {
  const hash = hashSession(text);
  if (hash !== undefined) await deps.sessions.delete(hash);
}

export function isOfKey(signedIn: SignedIn): signedIn is SignedInKey {
  return 'key' in signedIn;
}

/** Whether somebody has to turn their second factor on before anything else, because an account of theirs requires it. */
export function lacksSecondFactor(signedIn: SignedIn): boolean {
  return !isOfKey(signedIn) && signedIn.secondFactor.isRequired && !signedIn.secondFactor.isOn;
}

/** What whoever is signed in may do, in each of their accounts. */
export function viewersOf(signedIn: SignedIn): Viewer[] {
  if (lacksSecondFactor(signedIn)) return [];
  return isOfKey(signedIn) ? [viewerOfKey(signedIn.key)] : signedIn.members.map(viewerOfMember);
}

/** The text of a new cookie, and the hash under which it is stored. */
export function makeSessionText({ randomBytes }: Pick<SessionDependencies, 'randomBytes'>): {
  readonly text: string;
  readonly hash: string;
} {
  const text = Buffer.from(randomBytes(SESSION_BYTES)).toString('base64url');
  const hash = hashSession(text);
  if (hash === undefined) throw new Error('A new session does not have its own form.');
  return { text, hash };
}

/** The hash under which a session is stored; `undefined` if the string cannot be a session's. */
export function hashSession(text: string): string | undefined {
  return /^[\w-]{43}$/.test(text) ? digest('sha256', text, 'hex') : undefined;
}
