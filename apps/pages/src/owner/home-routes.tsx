import { may } from '@hitherto/domain/access';
import type { HitLookups } from '@hitherto/domain/hits';
import {
  findByPassword,
  foldEmail,
  hasOwners,
  isOfKey,
  type JoinDependencies,
  type SessionDependencies,
  type SignedIn,
  signInWithKey,
  signOut,
  startSession,
  viewersOf,
} from '@hitherto/domain/people';
import { clientNetwork, type FailedKeyLimit, HttpProblem } from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createAttemptLimit, OF_STRANGERS } from '../shared/attempt-limit.ts';
import { readCookie, SESSION_COOKIE } from '../shared/cookies.ts';
import { type Body, type Form, valueIn } from '../shared/form.ts';
import { sendPage } from '../shared/page.tsx';
import { HOME, NEW_WEBSITE, SIGN_IN, SIGN_OUT, WEBSITES } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import { readNextPath } from '../shared/sign-in-path.ts';
import { waitOf } from '../shared/wait-of.ts';
import { headerOf } from './header.ts';
import { beginSession, browserOf, setSession } from './session.ts';
import { SignInPage } from './sign-in-page.tsx';
import { WebsitesPage } from './websites-page.tsx';
import { readWebsitesView, type WebsitesViewDependencies } from './websites-view.ts';

export interface HomeDependencies
  extends SessionDependencies,
    WebsitesViewDependencies,
    Pick<JoinDependencies, 'people' | 'passwords'> {
  readonly lookups: HitLookups;
  /** Shared with the API: a wrong key counts wherever it is tried. */
  readonly failedKeys: FailedKeyLimit;
}

/** What nobody has as a password. */
const SPARE_PASSWORD = 'nobody signs in with this';

/** Signing in and out, and the list of websites (pages.md; people.md, "Pages"). */
export function homeRoutes(scope: FastifyInstance, deps: HomeDependencies): void {
  let spare: Promise<string> | undefined;
  const spareHash = () => {
    spare ??= deps.passwords.hash(SPARE_PASSWORD);
    return spare;
  };
  const ofClient = createAttemptLimit();
  const ofStrangers = createAttemptLimit(OF_STRANGERS);

  scope.get(HOME, async (request, reply) => {
    const { signedIn } = request;
    if (signedIn === null) return sendPage(reply, <SignInPage to={readNextPath(request.url)} />);
    const query = queryParameters(request);
    const view = await readWebsitesView(deps, viewersOf(signedIn), query);
    return sendPage(
      reply,
      <WebsitesPage header={headerOf(request)} view={view} canAddThemself={await canAddThemself(deps, signedIn)} />,
    );
  });

  scope.get(SIGN_IN, async (request, reply) => {
    const to = readNextPath(queryParameters(request).get('to') ?? '');
    // A rejected form stays at its action URL; a GET of that URL shows the form again.
    if (to === undefined) return reply.redirect(HOME, 303);
    // Signed-in visitors see the form too: the page may belong to another account.
    return sendPage(reply, <SignInPage to={to} />);
  });
  scope.get(SIGN_OUT, async (_request, reply) => reply.redirect(HOME, 303));
  scope.get(WEBSITES, async (_request, reply) => reply.redirect(NEW_WEBSITE, 303));

  scope.post<Body>(SIGN_IN, async (request, reply) => {
    const to = readNextPath(valueIn(request.body, 'to'));
    const key = valueIn(request.body, 'key');
    const email = valueIn(request.body, 'email') ?? '';
    const text =
      key === undefined ? await signInPerson(request, email, request.body) : await signInKey(request, key.trim());
    if (text === undefined) {
      const wrong = key === undefined ? 'person' : 'key';
      return sendPage(reply.code(403), <SignInPage to={to} wrong={wrong} email={email} />);
    }
    await beginSession(deps, request, reply, text);
    return reply.redirect(to ?? HOME, 303);
  });

  scope.post(SIGN_OUT, async (request, reply) => {
    await signOut(deps, readCookie(request, SESSION_COOKIE) ?? '');
    setSession(request, reply, '', 0);
    return reply.redirect(HOME, 303);
  });

  async function signInKey(request: FastifyRequest, key: string): Promise<string | undefined> {
    const wait = deps.failedKeys.blockedFor(request.ip);
    if (wait > 0) throw tooMany('keys', wait);
    const text = await signInWithKey(deps, key, browserOf(deps, request));
    if (text === undefined) deps.failedKeys.count(request.ip);
    return text;
  }

  /**
   * Checks a password within the limits of people.md, "What sign-in withstands": others cannot lock out the networks from which
   * a person signs in.
   */
  async function signInPerson(request: FastifyRequest, email: string, form: Form): Promise<string | undefined> {
    const address = foldEmail(email);
    const browser = browserOf(deps, request);
    const known = await deps.people.findByEmail(email);
    const sessions = await deps.sessions.list(known?.id ?? '');
    const isStranger = sessions.every(({ network }) => network === null || network !== browser.network);
    let personId: string | undefined;
    const check = async () => {
      personId = (await findByPassword({ ...deps, spareHash }, email, valueIn(form, 'password') ?? ''))?.id;
      return personId !== undefined;
    };
    const attempt = () => ofClient.attempt(clientNetwork(request.ip), address, check);
    let outcome: Awaited<ReturnType<typeof attempt>> = 'wrong';
    if (isStranger) {
      const ofAll = await ofStrangers.attempt('', address, async () => {
        outcome = await attempt();
        return outcome !== 'wrong';
      });
      if (typeof ofAll === 'number') throw tooMany('passwords', ofAll);
    } else outcome = await attempt();
    if (typeof outcome === 'number') throw tooMany('passwords', outcome);
    return personId === undefined ? undefined : startSession(deps, { personId }, browser);
  }
}

function tooMany(what: 'keys' | 'passwords', wait: number): HttpProblem {
  const headers = { 'retry-after': String(wait) };
  return new HttpProblem('rate_limited', `Too many wrong ${what}. Try again in ${waitOf(wait)}.`, headers);
}

/** Whether somebody with a key can become the first owner of its account (people.md, "First start"). */
async function canAddThemself(deps: Pick<JoinDependencies, 'people'>, signedIn: SignedIn): Promise<boolean> {
  if (!isOfKey(signedIn)) return false;
  const [viewer] = viewersOf(signedIn);
  if (viewer === undefined || !may(viewer, 'add_and_delete_websites')) return false;
  return !(await hasOwners(deps, viewer.accountId));
}
