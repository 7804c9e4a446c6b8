import type { SecondFactorRepository } from './second-factor-repository.ts';
import { hashSession, makeSessionText, SESSION_MS, type SessionDependencies } from './session.ts';
import type { PendingSignIn } from './session-repository.ts';

/** How long somebody has to enter a code, in milliseconds. */
export const PENDING_MS = 10 * 60 * 1000;
/** The wrong codes after which a sign-in ends. */
const MAX_CODES = 5;

/**
 * Asks for the second factor of a person who has shown who they are; the result is the text of the cookie by which the browser is
 * known that does. `undefined` if the person has none.
 *
 * @param sessionMs how long the session will last, in milliseconds
 */
export async function askSecondFactor(
  deps: Pick<SessionDependencies, 'sessions' | 'now' | 'randomBytes'> & {
    readonly secondFactors: Pick<SecondFactorRepository, 'find'>;
  },
  personId: string,
  sessionMs: number,
): Promise<string | undefined> {
  if ((await deps.secondFactors.find(personId)) === undefined) return undefined;
  return startPending(deps, personId, sessionMs);
}

/** Asks for a passkey, which will say whose it is; the result is as that of {@link askSecondFactor}. */
export function askPasskey(deps: Pick<SessionDependencies, 'sessions' | 'now' | 'randomBytes'>): Promise<string> {
  return startPending(deps, null, SESSION_MS);
}

async function startPending(
  deps: Pick<SessionDependencies, 'sessions' | 'now' | 'randomBytes'>,
  personId: string | null,
  sessionMs: number,
): Promise<string> {
  const { text, hash } = makeSessionText(deps);
  const expiresAt = new Date(deps.now().getTime() + PENDING_MS);
  await deps.sessions.insertPending({ hash, personId, sessionMs, expiresAt });
  return text;
}

/** The sign-in of a cookie that waits for a second factor. */
export async function findPendingSignIn(
  { sessions, now }: Pick<SessionDependencies, 'sessions' | 'now'>,
  text: string,
): Promise<PendingSignIn | undefined> {
  const hash = hashSession(text);
  const found = hash === undefined ? undefined : await sessions.findPending(hash);
  return found !== undefined && now() < found.expiresAt ? found : undefined;
}

/**
 * Finishes a sign-in with a second factor, which is checked by `isRight`. Each check counts before it is made, so that many at
 * once are no more than one after the other.
 */
export async function finishSignIn(
  { sessions }: Pick<SessionDependencies, 'sessions'>,
  { hash }: PendingSignIn,
  isRight: () => Promise<boolean>,
): Promise<'right' | 'wrong' | 'ended'> {
  const tries = await sessions.countTry(hash);
  if (tries === undefined || tries > MAX_CODES) return 'ended';
  if (await isRight()) return (await sessions.deletePending(hash)) ? 'right' : 'ended';
  if (tries < MAX_CODES) return 'wrong';
  await sessions.deletePending(hash);
  return 'ended';
}
