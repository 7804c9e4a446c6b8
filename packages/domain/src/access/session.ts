import { hash as digest } from 'node:crypto';
import type { AccessRepository } from './access-repository.ts';
import { isUsable } from './api-key.ts';
import type { SessionRepository, SignedIn } from './session-repository.ts';
import { authenticate } from './use-cases.ts';

const SESSION_BYTES = 32;
/** How long a session lasts, in milliseconds: 30 days. */
export const SESSION_MS = 30 * 24 * 60 * 60 * 1000;

/** The dependencies of the session use cases. */
export interface SessionDependencies {
  readonly access: AccessRepository;
  readonly sessions: SessionRepository;
  readonly now: () => Date;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Starts a session; `undefined` if the key is not valid. The result holds the cookie's text, which is stored nowhere. */
export async function signIn(
  deps: SessionDependencies,
  keyText: string,
): Promise<{ readonly text: string; readonly signedIn: SignedIn } | undefined> {
  const key = await authenticate(deps, keyText);
  const text = formatSession(deps.randomBytes(SESSION_BYTES));
  const hash = hashSession(text);
  if (key === undefined || hash === undefined) return undefined;
  const createdAt = deps.now();
  const session = { hash, keyId: key.id, createdAt, expiresAt: new Date(createdAt.getTime() + SESSION_MS) };
  await deps.sessions.insert(session);
  await deps.access.recordKeyUse(new Map([[key.id, createdAt]]));
  return { text, signedIn: { session, key } };
}

/** The session of a cookie; `undefined` if it has ended or its key is no longer valid. */
export async function findSession(
  deps: Pick<SessionDependencies, 'sessions' | 'now'>,
  text: string,
): Promise<SignedIn | undefined> {
  const hash = hashSession(text);
  const found = hash === undefined ? undefined : await deps.sessions.find(hash);
  const now = deps.now();
  return found !== undefined && now < found.session.expiresAt && isUsable(found.key, now) ? found : undefined;
}

/** Ends the session of a cookie, if there is one. */
export async function signOut(deps: Pick<SessionDependencies, 'sessions'>, text: string): Promise<void> {
  const hash = hashSession(text);
  if (hash !== undefined) await deps.sessions.delete(hash);
}

/** The value of a cookie: 32 random bytes in base64url. */
function formatSession(random: Uint8Array): string {
  return Buffer.from(random).toString('base64url');
}

/** The hash under which a session is stored; `undefined` if the string cannot be a session's. */
function hashSession(text: string): string | undefined {
  return /^[\w-]{43}$/.test(text) ? digest('sha256', text, 'hex') : undefined;
}
