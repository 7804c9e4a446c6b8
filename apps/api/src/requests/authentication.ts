import { isDeepStrictEqual } from 'node:util';
import bearerAuth from '@fastify/bearer-auth';
import {
  type AccessRepository,
  type Action,
  type ApiKey,
  covers,
  may,
  scopeOf,
  type Viewer,
  viewerOfKey,
} from '@hitherto/domain/access';
import { untilAvailable } from '@hitherto/domain/base';
import type { Author } from '@hitherto/domain/changes';
import { MAX_WAIT_MS } from '@hitherto/domain/hits';
import { showWebsite, type WebsiteKey, type WebsiteRepository, websiteIn } from '@hitherto/domain/websites';
import {
  type AccountLimit,
  type Allowance,
  assertPrepared,
  auditOrigin,
  countHeaders,
  createKeyCache,
  type FailedKeyLimit,
  HttpProblem,
  type KeyUse,
  type Lifecycle,
} from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { websiteIdOf } from './input.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's key. Every route in the authenticated scope has one. */
    apiKey: ApiKey | null;
    /** What the key may do now. */
    viewer: Viewer | null;
    /** How long the lookup of the key took, in milliseconds. */
    keyLookupMs: number;
    /** When the rights of the key were read, on the monotonic clock, and reading them again. */
    rights: { since: number; readonly find: () => Promise<ApiKey | undefined> } | null;
    /** Rejects if the key has other rights by now than at the beginning of the request, which then has taken long. */
    renewRights: () => Promise<void>;
  }
  interface FastifyContextConfig {
    /** What its requests do, on which the rights of the key decide. */
    readonly action?: Action;
    /** Whether requests wait for a database that is away, as hits do, before they are rejected. */
    readonly waitsForDatabase?: boolean;
  }
}

interface AuthenticationDependencies {
  readonly access: AccessRepository;
  readonly websites: WebsiteRepository;
  readonly now: () => Date;
  readonly keyUse: KeyUse;
  /** `undefined` if accounts are not limited. */
  readonly accountLimit: AccountLimit | undefined;
  /** Shared with the other places that accept keys. */
  readonly failedKeys: FailedKeyLimit;
  readonly lifecycle: Lifecycle;
}

/** The routes of one website. */
const OF_WEBSITE = /^(?:\/api\/v1)?\/websites\/:id(?:\/|$)/;
const REALM = 'Bearer realm="hitherto"';
/** How long the rights of a request hold (api.md, "Authentication"). */
const RIGHTS_MS = 1_000;

/** Who sent an authenticated request, with the websites that it may know of. */
export function viewerOf({ viewer }: FastifyRequest): Viewer {
  if (viewer === null) throw new Error('This route is outside the authenticated scope.');
  return viewer;
}

/** The account of an authenticated request. */
export function accountOf(request: FastifyRequest): string {
  return viewerOf(request).accountId;
}

/** The website that an authenticated request names in its path. */
export function websiteOf(request: FastifyRequest<{ Params: { readonly id: string } }>): WebsiteKey {
  return websiteIn(viewerOf(request), websiteIdOf(request.params));
}

/** Who makes the changes of an authenticated request. */
export function authorOf(request: FastifyRequest): Author {
  const { apiKey } = request;
  if (apiKey === null) throw new Error('This route is outside the authenticated scope.');
  const { id, label } = apiKey;
  return { actor: { type: 'key', id, label }, ...auditOrigin(request) };
}

/** The key of a request, as the log shows it. */
export function loggedKey({ apiKey }: FastifyRequest): { readonly account?: string; readonly key?: string } {
  return apiKey === null ? {} : { account: apiKey.accountId, key: apiKey.id };
}

/**
 * Admits only requests with a valid key to the routes of this scope, then checks the key's rights and the account's
 * allowance, in the order of api.md, "Order of checks". @fastify/bearer-auth reads the header; its responses are not
 * used, because they lack `WWW-Authenticate` and turn a failed lookup into 500.
 */
export async function requireKey(app: FastifyInstance, deps: AuthenticationDependencies): Promise<void> {
  const keys = createKeyCache(deps);
  const { failedKeys } = deps;
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  app.addHook('onReady', async () => {
    const silent = routes.find(({ config }) => config?.action === undefined);
    if (silent !== undefined) throw new Error(`Nothing says what requests to ${silent.url} do.`);
  });
  app.decorateRequest('apiKey', null);
  app.decorateRequest('viewer', null);
  app.decorateRequest('keyLookupMs', 0);
  app.decorateRequest('rights', null);
  app.decorateRequest('renewRights', function (this: FastifyRequest) {
    return renew(this);
  });

  await app.register(bearerAuth, {
    addHook: false,
    keys: [],
    // RFC 9110, section 11.1: the scheme is case-insensitive.
    specCompliance: 'rfc6749',
    verifyErrorLogLevel: 'debug',
    auth: async (text, request) => {
      const seconds = failedKeys.blockedFor(request.ip);
      if (seconds > 0 && !keys.hasAccepted(text)) throw tooManyFailures(seconds);
      const find = async () => {
        assertPrepared(deps.lifecycle);
        return keys.find(text);
      };
      const { waitsForDatabase } = request.routeOptions.config;
      const start = performance.now();
      const key = await (waitsForDatabase ? untilAvailable(find, start + MAX_WAIT_MS) : find());
      request.keyLookupMs = performance.now() - start;
      request.apiKey = key ?? null;
      request.viewer = key === undefined ? null : viewerOfKey(key);
      request.rights = { since: start, find };
      return key !== undefined;
    },
  });

  app.addHook('onRequest', (request, reply, done) => {
    if (countHeaders(request.raw, 'authorization') > 1) {
      done(new HttpProblem('bad_request', 'The request has two Authorization headers.'));
      return;
    }
    app.verifyBearerAuth?.(request, reply, (error) => {
      const problem = error === undefined ? admit(request, reply) : rejection(error, request);
      if (problem instanceof HttpProblem && problem.code === 'forbidden') {
        assertKnown(request).then(() => done(problem), done);
      } else done(problem);
    });
  });

  // A body can take long to arrive, and a read to be answered.
  app.addHook('preHandler', (request, _reply, done) => {
    if (isRecent(request)) done();
    else renew(request).then(() => done(), done);
  });
  app.addHook<unknown>('onSend', (request, _reply, payload, done) => {
    const { action } = request.routeOptions.config;
    if (isRecent(request) || action === undefined || scopeOf(action) !== 'read') done(null, payload);
    else renew(request).then(() => done(null, payload), done);
  });

  // HEAD pays like GET, which it costs the service as much as.
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
    if (request.apiKey !== null) announce(deps.accountLimit?.chargeResponse(request.apiKey.accountId, bytes), reply);
    done(null, payload);
  });

  function announce(allowance: Allowance | undefined, reply: FastifyReply): void {
    if (allowance === undefined) return;
    const wait = allowance.remaining === 0 ? `;t=${allowance.retryAfter}` : '';
    reply.header('ratelimit', `"account";r=${allowance.remaining}${wait}`);
    reply.header('ratelimit-policy', deps.accountLimit?.policy);
  }

  /** The problem of a request with a valid key, if any. */
  function admit(request: FastifyRequest, reply: FastifyReply): HttpProblem | undefined {
    const { apiKey: key, viewer } = request;
    if (key === null || viewer === null) return new HttpProblem('internal');
    deps.keyUse.note(key.id, deps.now());
    const allowance = deps.accountLimit?.take(key.accountId);
    announce(allowance, reply);
    const { action } = request.routeOptions.config;
    if (action === undefined) return new HttpProblem('internal');
    const problem = problemOf(viewer, action);
    if (problem !== undefined) return problem;
    if (allowance === undefined || allowance.allowed) return undefined;
    return new HttpProblem('rate_limited', 'The account has used up its allowance.', {
      'retry-after': String(allowance.retryAfter),
    });
  }

  /** A website that the key does not reach is unknown to it, before its role forbids anything (people.md, "Roles"). */
  async function assertKnown({ viewer, routeOptions, params }: FastifyRequest): Promise<void> {
    if (viewer === null || !OF_WEBSITE.test(routeOptions.url ?? '') || !hasId(params)) return;
    await showWebsite(deps, viewer, websiteIdOf(params));
  }

  function isRecent({ rights }: FastifyRequest): boolean {
    return rights === null || performance.now() - rights.since < RIGHTS_MS;
  }

  async function renew(request: FastifyRequest): Promise<void> {
    const { rights, viewer } = request;
    if (rights === null || viewer === null) return;
    // Before anything is thrown: the response to an error is not checked again.
    rights.since = performance.now();
    const key = await rights.find();
    if (key === undefined) throw invalidToken();
    const renewed = viewerOfKey(key);
    const { action } = request.routeOptions.config;
    const problem = action && problemOf(renewed, action);
    if (problem !== undefined) throw problem;
    if (isDeepStrictEqual(renewed, viewer)) return;
    const detail = 'The rights of the key have changed meanwhile. Send the request again.';
    throw new HttpProblem('unavailable', detail, { 'retry-after': '1' });
  }

  /** The problem of a request whose key is missing, not valid, or cannot be looked up. */
  function rejection(error: Error, request: FastifyRequest): Error {
    const code = 'code' in error ? error.code : undefined;
    if (code === 'FST_BEARER_AUTH_MISSING_AUTHORIZATION_HEADER') {
      return new HttpProblem('missing_key', undefined, { 'www-authenticate': REALM });
    }
    if (code !== 'FST_BEARER_AUTH_INVALID_AUTHORIZATION_HEADER') return error;
    // `auth` is not called for another scheme.
    const seconds = failedKeys.blockedFor(request.ip);
    if (seconds > 0) return tooManyFailures(seconds);
    failedKeys.count(request.ip);
    return invalidToken();
  }
}

/** The problem of somebody who may not do this. */
function problemOf(viewer: Viewer, action: Action): HttpProblem | undefined {
  if (!covers(viewer.scope, scopeOf(action))) {
    return new HttpProblem('insufficient_scope', undefined, {
      'www-authenticate': `${REALM}, error="insufficient_scope", scope="write"`,
    });
  }
  return may(viewer, action) ? undefined : new HttpProblem('forbidden');
}

function invalidToken(): HttpProblem {
  return new HttpProblem('invalid_token', undefined, { 'www-authenticate': `${REALM}, error="invalid_token"` });
}

function hasId(params: unknown): params is { readonly id: string } {
  return typeof params === 'object' && params !== null && 'id' in params && typeof params.id === 'string';
}

/** Says what requests to the routes of a scope do, if they do not say so themselves. */
export function permit(app: FastifyInstance, actions: { readonly read: Action; readonly write: Action }): void {
  app.addHook('onRoute', (route) => {
    const isRead = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD');
    route.config = { action: isRead ? actions.read : actions.write, ...route.config };
  });
}

function tooManyFailures(seconds: number): HttpProblem {
  return new HttpProblem('rate_limited', 'This client address has sent too many invalid keys.', {
    'retry-after': String(seconds),
  });
}
