import { findSession, isOfKey, type SessionDependencies, type SignedIn, viewersOf } from '@hitherto/domain/people';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readCookie, SESSION_COOKIE } from './cookies.ts';
import { localeFor } from './locale.tsx';
import { forbidCaching, MessagePage, renderPage } from './page.tsx';

declare module 'fastify' {
  interface FastifyRequest {
    /** The rights of who is signed in, when the request came; `null` where nobody is. */
    rights: string | null;
  }
}

/** How long rights hold, in milliseconds (people.md, "Roles"). */
const RIGHTS_MS = 1_000;

/** Notes the rights with which a request is handled, and the language of its page. */
export function noteRights(request: FastifyRequest, signedIn: SignedIn | undefined): void {
  request.rights = signedIn === undefined ? null : rightsOf(signedIn);
  request.personsLanguage = signedIn === undefined || isOfKey(signedIn) ? null : signedIn.person.language;
}

/**
 * Sends no page that took longer to make than rights hold, if those of who asked for it have changed meanwhile. It comes before
 * hooks that write the response.
 */
export function recheckRights(scope: FastifyInstance, deps: Pick<SessionDependencies, 'sessions' | 'now'>): void {
  scope.decorateRequest('rights', null);
  scope.addHook('onSend', async (request, reply, payload) => {
    const isRedirect = reply.statusCode >= 300 && reply.statusCode < 400;
    if (request.rights === null || isRedirect || reply.elapsedTime < RIGHTS_MS) return payload;
    const found = await findSession(deps, readCookie(request, SESSION_COOKIE) ?? '');
    if (found !== undefined && rightsOf(found) === request.rights) return payload;
    forbidCaching(reply);
    reply.code(503).type('text/html; charset=utf-8').header('retry-after', '1').removeHeader('content-disposition');
    const locale = localeFor(request);
    const { errors } = locale.words;
    return renderPage(
      <MessagePage title={errors.rightsChanged}>
        <p>{errors.loadAgain}</p>
      </MessagePage>,
      locale,
    );
  });
}

function rightsOf(signedIn: SignedIn): string {
  return JSON.stringify(viewersOf(signedIn));
}
