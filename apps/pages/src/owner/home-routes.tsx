import { SESSION_MS, type SessionDependencies, signIn, signOut } from '@hitherto/domain/access';
import { type FailedKeyLimit, HttpProblem } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { readCookie, SESSION_COOKIE } from '../shared/cookies.ts';
import { type Body, valueIn } from '../shared/form.ts';
import { sendPage } from '../shared/page.tsx';
import { HOME, NEW_WEBSITE, SIGN_IN, SIGN_OUT, WEBSITES } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import { readNextPath } from '../shared/sign-in-path.ts';
import { waitOf } from '../shared/wait-of.ts';
import { keyOf, mayWrite, setSession } from './session.ts';
import { SignInPage } from './sign-in-page.tsx';
import { WebsitesPage } from './websites-page.tsx';
import { readWebsitesView, type WebsitesViewDependencies } from './websites-view.ts';

export interface HomeDependencies extends SessionDependencies, WebsitesViewDependencies {
  /** Shared with the API: a wrong key counts wherever it is tried. */
  readonly failedKeys: FailedKeyLimit;
}

/** Signing in and out, and the list of websites (pages.md). */
export function homeRoutes(scope: FastifyInstance, deps: HomeDependencies): void {
  scope.get(HOME, async (request, reply) => {
    if (request.signedInKey === null) return sendPage(reply, <SignInPage to={readNextPath(request.url)} />);
    const query = queryParameters(request);
    const view = await readWebsitesView(deps, keyOf(request), query, mayWrite(request));
    return sendPage(reply, <WebsitesPage view={view} />);
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
    const wait = deps.failedKeys.blockedFor(request.ip);
    if (wait > 0) {
      const headers = { 'retry-after': String(wait) };
      throw new HttpProblem(
        'rate_limited',
        `Too many wrong keys from your address. Try again in ${waitOf(wait)}.`,
        headers,
      );
    }
    const key = valueIn(request.body, 'key');
    const to = readNextPath(valueIn(request.body, 'to'));
    const begun = key === undefined ? undefined : await signIn(deps, key.trim());
    if (begun === undefined) {
      deps.failedKeys.count(request.ip);
      return sendPage(reply.code(403), <SignInPage to={to} isWrong />);
    }
    // This also ends an earlier session in this browser.
    await signOut(deps, readCookie(request, SESSION_COOKIE) ?? '');
    setSession(request, reply, begun.text, SESSION_MS);
    return reply.redirect(to ?? HOME, 303);
  });

  scope.post(SIGN_OUT, async (request, reply) => {
    await signOut(deps, readCookie(request, SESSION_COOKIE) ?? '');
    setSession(request, reply, '', 0);
    return reply.redirect(HOME, 303);
  });
}
