import {
  findByPassword,
  foldEmail,
  type JoinDependencies,
  type Person,
  SESSION_MS,
  type SessionDependencies,
  signInWithKey,
  signOut,
} from '@hitherto/domain/people';
import type { FailedKeyLimit } from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readCookie, SESSION_COOKIE } from '../shared/cookies.ts';
import { type Body, valueIn } from '../shared/form.ts';
import { sendPage } from '../shared/page.tsx';
import { HOME, SIGN_IN, SIGN_OUT } from '../shared/paths.ts';
import { readNextPath } from '../shared/sign-in-path.ts';
import { type LetInDependencies, letIn } from './let-in.ts';
import { sendNoPasswords } from './no-passwords.ts';
import { beginSession, browserOf, setSession } from './session.ts';
import { type SignInLimits, tooMany } from './sign-in-limits.ts';
import { SignInPage } from './sign-in-page.tsx';
import type { WaysIn } from './ways-in.ts';

export interface SignInDependencies
  extends SessionDependencies,
    LetInDependencies,
    WaysIn,
    Pick<JoinDependencies, 'people' | 'passwords'> {
  /** Shared with the API: a wrong key counts wherever it is tried. */
  readonly failedKeys: FailedKeyLimit;
}

/** What nobody has as a password. */
const SPARE_PASSWORD = 'nobody signs in with this';

/** Signing in with a password or a key, and out (people.md, "Signing in"). */
export function signInRoutes(scope: FastifyInstance, deps: SignInDependencies, limits: SignInLimits): void {
  let spare: Promise<string> | undefined;
  const spareHash = () => {
    spare ??= deps.passwords.hash(SPARE_PASSWORD);
    return spare;
  };

  // A GET of a form's action URL shows the form again.
  for (const action of [SIGN_IN, SIGN_OUT]) scope.get(action, async (_request, reply) => reply.redirect(HOME, 303));

  scope.post<Body>(SIGN_IN, async (request, reply) => {
    const next = readNextPath(valueIn(request.body, 'next'));
    const key = valueIn(request.body, 'key');
    if (key !== undefined) {
      const text = await signInKey(request, key.trim());
      if (text === undefined) return sendPage(reply.code(403), <SignInPage ways={deps} next={next} wrong="key" />);
      await beginSession(deps, request, reply, text, SESSION_MS);
      return reply.redirect(next ?? HOME, 303);
    }
    if (!deps.hasPasswords) return sendNoPasswords(request, reply);
    const email = valueIn(request.body, 'email') ?? '';
    const person = await checkPassword(request, email, valueIn(request.body, 'password') ?? '');
    if (person !== undefined) return letIn(deps, request, reply, person, { next });
    return sendPage(reply.code(403), <SignInPage ways={deps} next={next} wrong="person" email={email} />);
  });

  scope.post(SIGN_OUT, async (request, reply) => {
    await signOut(deps, readCookie(request, SESSION_COOKIE) ?? '');
    setSession(request, reply, '', 0);
    return reply.redirect(HOME, 303);
  });

  async function signInKey(request: FastifyRequest, key: string): Promise<string | undefined> {
    const wait = deps.failedKeys.blockedFor(request.ip);
    if (wait > 0) throw tooMany(request, 'keys', wait);
    const text = await signInWithKey(deps, key, browserOf(deps, request));
    if (text === undefined) deps.failedKeys.count(request.ip);
    return text;
  }

  /** The person with this address and password. */
  async function checkPassword(request: FastifyRequest, email: string, password: string): Promise<Person | undefined> {
    let person: Person | undefined;
    const door = { what: 'passwords', of: foldEmail(email) } as const;
    await limits.attempt(request, door, await deps.people.findByEmail(email), async () => {
      person = await findByPassword({ ...deps, spareHash }, email, password);
      return person !== undefined;
    });
    return person;
  }
}
