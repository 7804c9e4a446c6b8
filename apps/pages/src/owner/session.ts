import {
  type Action,
  type ApiKey,
  covers,
  findSession,
  may,
  type SessionDependencies,
  viewerOfKey,
} from '@hitherto/domain/access';
import type { Author } from '@hitherto/domain/changes';
import { auditOrigin } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, SESSION_COOKIE, setCookie } from '../shared/cookies.ts';
import { isOwnOrigin } from '../shared/request.ts';
import { sendForbidden, sendForeignOrigin } from '../shared/send-error.tsx';
import { signInPath } from '../shared/sign-in-path.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that the browser is signed in with; `null` where it is not. */
    signedInKey: ApiKey | null;
  }
}

/** Rejects writes of the scope that do not come from this site's own pages (pages.md). */
export function rejectForeignWrites(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request, reply) => {
    if (request.method === 'POST' && isOwnOrigin(request) !== true) return sendForeignOrigin(request, reply);
  });
}

/** Reads the session for the routes of this scope. */
export function readSessions(scope: FastifyInstance, deps: Pick<SessionDependencies, 'sessions' | 'now'>): void {
  scope.decorateRequest('signedInKey', null);
  scope.addHook('preHandler', async (request) => {
    const found = await findSession(deps, readCookie(request, SESSION_COOKIE) ?? '');
    request.signedInKey = found?.key ?? null;
  });
}

/** Redirects visitors without a session to the sign-in page, which leads back to the page. A form is not sent again. */
export function requireSession(scope: FastifyInstance): void {
  scope.addHook('preHandler', async (request, reply) => {
    if (request.signedInKey === null) return reply.redirect(signInPath(request.url), 303);
  });
}

/** Rejects writes with a key that may only read. */
export function requireWriteScope(scope: FastifyInstance): void {
  requireRight(scope, 'change_settings');
}

/** Rejects what the key has no right to. A key that may only read still sees forms. */
export function requireRight(scope: FastifyInstance, action: Action): void {
  scope.addHook('preHandler', async (request, reply) => {
    const viewer = viewerOfKey(keyOf(request));
    if (may(viewer, action)) return;
    if (!may({ ...viewer, scope: 'write' }, action)) {
      const text = 'The key that you are signed in with reaches only some websites. Sign in with one that reaches all.';
      return sendForbidden(reply, 'This needs a key of all websites', text);
    }
    if (request.method !== 'POST') return;
    return sendForbidden(reply, 'This key is read-only', 'Nothing was changed. Sign in with a key of scope write.');
  });
}

/** The key of a signed-in request. Throws outside of the scope that needs a session. */
export function keyOf({ signedInKey }: FastifyRequest): ApiKey {
  if (signedInKey === null) throw new Error('This route is outside of the scope that needs a session.');
  return signedInKey;
}

/** The account of a signed-in request. */
export function accountOf(request: FastifyRequest): string {
  return keyOf(request).accountId;
}

/** Who makes the changes of a signed-in request. */
export function authorOf(request: FastifyRequest): Author {
  const { id, label } = keyOf(request);
  return { actor: { type: 'session', id, label }, ...auditOrigin(request) };
}

/** Whether the request is signed in with a key that may write. */
export function mayWrite({ signedInKey }: FastifyRequest): boolean {
  return signedInKey !== null && covers(signedInKey.scope, 'write');
}

/** Sets the cookie of the session; an empty `value` with a `maxAgeMs` of 0 removes it. */
export function setSession(request: FastifyRequest, reply: FastifyReply, value: string, maxAgeMs: number): void {
  setCookie(request, reply, { name: SESSION_COOKIE, value, path: '/', maxAgeMs });
}
