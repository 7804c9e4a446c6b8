import { type Action, covers, may, scopeOf, type Viewer } from '@hitherto/domain/access';
import type { Author } from '@hitherto/domain/changes';
import type { HitLookups } from '@hitherto/domain/hits';
import {
  type Browser,
  findSession,
  isOfKey,
  lacksSecondFactor,
  type SessionDependencies,
  type SignedIn,
  signOut,
  viewersOf,
} from '@hitherto/domain/people';
import { reaches, type WebsiteDirectory, type WebsiteName, type WebsiteRepository } from '@hitherto/domain/websites';
import { auditOrigin } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, SESSION_COOKIE, setCookie } from '../shared/cookies.ts';
import { localeFor } from '../shared/locale.tsx';
import { YOU } from '../shared/paths.ts';
import { isOwnOrigin, queryParameters } from '../shared/request.ts';
import { noteRights } from '../shared/rights-meanwhile.tsx';
import { pageNotFound, sendForbidden, sendForeignOrigin } from '../shared/send-error.tsx';
import { signInPath } from '../shared/sign-in-path.ts';
import { MAX_SWITCHED } from '../shared/website-switcher.tsx';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; `null` where nobody is. */
    signedIn: SignedIn | null;
    /** What they may do in the account that the request is about. */
    viewer: Viewer | null;
    /** Websites of this account, for somebody who goes from one to another. */
    others: readonly WebsiteName[];
    /** Whether they reach the website in the path, if there is one. */
    knowsWebsite: boolean;
  }
}

/** Somebody who is in no account. */
const NOBODY: Viewer = {
  accountId: '00000000-0000-0000-0000-000000000000',
  websiteIds: [],
  role: 'viewer',
  scope: 'read',
};

/** Rejects writes of the scope that do not come from this site's own pages (pages.md). */
export function rejectForeignWrites(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request, reply) => {
    if (request.method === 'POST' && isOwnOrigin(request) !== true) return sendForeignOrigin(request, reply);
  });
}

/** Reads the session for the routes of this scope. Where passwords are turned off, nobody has one. */
export function readSessions(
  scope: FastifyInstance,
  deps: Pick<SessionDependencies, 'sessions' | 'now'> & { readonly hasPasswords: boolean },
): void {
  scope.decorateRequest('signedIn', null);
  scope.decorateRequest('viewer', null);
  scope.decorateRequest('others');
  scope.decorateRequest('knowsWebsite', true);
  scope.addHook('preHandler', async (request) => {
    const found = (await findSession(deps, readCookie(request, SESSION_COOKIE) ?? '')) ?? null;
    noteRights(request, found ?? undefined);
    const isHidden = found !== null && !isOfKey(found) && !deps.hasPasswords;
    request.signedIn = isHidden ? { ...found, person: { ...found.person, passwordHash: null } } : found;
  });
}

/** Redirects visitors without a session to the sign-in page, which leads back to the page. A form is not sent again. */
export function requireSession(scope: FastifyInstance): void {
  scope.addHook('preHandler', async (request, reply) => {
    if (request.signedIn === null) return reply.redirect(signInPath(request.url), 303);
  });
}

/** Leads people to `/you` who have to turn their second factor on first (people.md, "The second factor"). */
export function requireSecondFactor(scope: FastifyInstance): void {
  scope.addHook('preHandler', async (request, reply) => {
    if (!lacksSecondFactor(signedInOf(request))) return;
    if (request.method === 'GET') return reply.redirect(YOU, 303);
    const { errors } = localeFor(request).words;
    return sendForbidden(reply, errors.factorFirst, errors.factorFirstText);
  });
}

/** The requests of the scope are about the account of the website in their path. */
export function actForWebsite(
  scope: FastifyInstance,
  {
    directory,
    websites,
  }: {
    readonly directory: Pick<WebsiteDirectory, 'findById'>;
    readonly websites: Pick<WebsiteRepository, 'names'>;
  },
): void {
  scope.addHook<{ Params: { id: string } }>('preHandler', async (request) => {
    const viewers = viewersOf(signedInOf(request));
    const id = request.params.id.toLowerCase();
    const entry = await directory.findById(id);
    const reaching = viewers.find((viewer) => viewer.accountId === entry?.accountId && reaches(viewer, id));
    request.knowsWebsite = reaching !== undefined;
    request.viewer = reaching ?? viewers[0] ?? NOBODY;
    request.others = await websites.names(request.viewer, MAX_SWITCHED);
  });
}

/** The requests of the scope are about the account that their query names, or the first in which they may do this. */
export function actForAccount(scope: FastifyInstance, action: Action): void {
  scope.addHook('preHandler', async (request) => {
    const viewers = viewersOf(signedInOf(request));
    const named = queryParameters(request).get('account');
    const able = viewers.filter((viewer) => may(viewer, action));
    request.viewer = able.find(({ accountId }) => accountId === named) ?? able[0] ?? viewers[0] ?? NOBODY;
  });
}

/** The requests of the scope are about the account in their path. Other accounts count as absent. */
export function actForAccountInPath(scope: FastifyInstance): void {
  scope.addHook<{ Params: { id?: string } }>('preHandler', async (request) => {
    const viewers = viewersOf(signedInOf(request));
    const found = viewers.find(({ accountId }) => accountId === request.params.id?.toLowerCase());
    if (found === undefined) throw pageNotFound();
    request.viewer = found;
  });
}

/** Rejects writes of those who may only read. */
export function requireWriteScope(scope: FastifyInstance): void {
  requireRight(scope, 'change_settings');
}

/** Rejects what the viewer has no right to. A key that may only read still sees forms. */
export function requireRight(scope: FastifyInstance, action: Action): void {
  scope.addHook('preHandler', async (request, reply) => {
    const viewer = viewerOf(request);
    if (may(viewer, action)) return;
    // A website that is not reached is the same as an unknown one (people.md, "Roles").
    if (!request.knowsWebsite) throw pageNotFound();
    const { errors } = localeFor(request).words;
    if (!covers(viewer.scope, scopeOf(action)) && may({ ...viewer, scope: 'write' }, action)) {
      if (request.method !== 'POST') return;
      return sendForbidden(reply, errors.keyReadOnly, errors.keyReadOnlyText);
    }
    const isKey = isOfKey(signedInOf(request));
    if (isKey && action === 'manage_account') {
      return sendForbidden(reply, errors.keyNoOwner, errors.keyNoOwnerText);
    }
    if (!isKey || viewer.role === 'viewer') {
      return sendForbidden(reply, errors.notAllowed, errors.notAllowedText);
    }
    return sendForbidden(reply, errors.keyOfAll, errors.keyOfAllText);
  });
}

/** Who is signed in. Throws outside of the scope that needs a session. */
export function signedInOf({ signedIn }: FastifyRequest): SignedIn {
  if (signedIn === null) throw new Error('This route is outside of the scope that needs a session.');
  return signedIn;
}

/** The rights of the signed-in viewer in the account of the request. */
export function viewerOf({ viewer }: FastifyRequest): Viewer {
  if (viewer === null) throw new Error('Nothing says which account the requests to this route are about.');
  return viewer;
}

/** The account that the request is about. */
export function accountOf(request: FastifyRequest): string {
  return viewerOf(request).accountId;
}

/** Who makes the changes of a signed-in request. */
export function authorOf(request: FastifyRequest): Author {
  const signedIn = signedInOf(request);
  if (isOfKey(signedIn)) {
    const { id, label } = signedIn.key;
    return { actor: { type: 'session', id, label }, ...auditOrigin(request) };
  }
  const { id, name } = signedIn.person;
  return { actor: { type: 'person', id, label: name }, ...auditOrigin(request) };
}

/** Whether the viewer may change settings in the account that the request is about. */
export function mayWrite(request: FastifyRequest): boolean {
  return may(viewerOf(request), 'change_settings');
}

/** The browser of a request, as a session notes it. */
export function browserOf(
  { lookups }: { readonly lookups: Pick<HitLookups, 'deviceOf'> },
  request: FastifyRequest,
): Browser {
  const { browser } = lookups.deviceOf(request.headers['user-agent'] ?? '');
  return { browser, network: auditOrigin(request).network };
}

/** Signs the browser in, and ends the session that it had before. */
export async function beginSession(
  deps: Pick<SessionDependencies, 'sessions'>,
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  lastsMs: number,
): Promise<void> {
  await signOut(deps, readCookie(request, SESSION_COOKIE) ?? '');
  setSession(request, reply, text, lastsMs);
}

/** Sets the cookie of the session; an empty `value` with a `maxAgeMs` of 0 removes it. */
export function setSession(request: FastifyRequest, reply: FastifyReply, value: string, maxAgeMs: number): void {
  setCookie(request, reply, { name: SESSION_COOKIE, value, path: '/', maxAgeMs });
}
