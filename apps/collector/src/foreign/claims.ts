import { type AccessRepository, may, type Viewer, viewerOfKey } from '@hitherto/domain/access';
import { untilAvailable } from '@hitherto/domain/base';
import { type Hit, type HitInput, MAX_WAIT_MS, type ReadHit, readHit, readServerHit } from '@hitherto/domain/hits';
import {
  assertPrepared,
  countHeaders,
  createKeyCache,
  createKeyUse,
  type FailedKeyLimit,
  HttpProblem,
  type Lifecycle,
  readAddress,
} from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { browserOf } from '../hits/read-hit-request.ts';

export interface KeyDependencies {
  readonly access: AccessRepository;
  readonly lifecycle: Lifecycle;
  readonly now: () => Date;
  /** Shared with the other places that take keys. */
  readonly failedKeys: FailedKeyLimit;
}

/** The claims of a body about its sender. They need a key of scope `write`; without one, the request decides. */
export interface Claims {
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly language?: string | undefined;
  /** Identifies the visitor instead of address and user agent. */
  readonly visitor?: string | undefined;
  /** RFC 3339. */
  readonly time?: string | undefined;
}

/** Finds what the key of a request may do; `undefined` without one. */
export type FindKey = (request: FastifyRequest, text?: string) => Promise<Viewer | undefined>;

/**
 * Finds the key that a request has: as a bearer token, as the password of basic authentication, or in its body.
 * It waits for a database that is away, as hits do. It rejects with `invalid_token`, or with `insufficient_scope` for a key
 * that may not write.
 */
export function createFindKey(scope: FastifyInstance, deps: KeyDependencies): FindKey {
  const keys = createKeyCache(deps);
  const use = createKeyUse(deps.access, () => {});
  scope.addHook('onClose', () => use.stop());
  return async (request, sent) => {
    const text = sent ?? keyIn(request);
    if (text === undefined) return undefined;
    const seconds = deps.failedKeys.blockedFor(request.ip);
    if (seconds > 0 && !keys.hasAccepted(text)) {
      const retry = { 'retry-after': String(seconds) };
      throw new HttpProblem('rate_limited', 'This client address has sent too many invalid keys.', retry);
    }
    const find = () => {
      assertPrepared(deps.lifecycle);
      return keys.find(text);
    };
    const key = await untilAvailable(find, performance.now() + MAX_WAIT_MS);
    if (key === undefined) {
      deps.failedKeys.count(request.ip);
      throw new HttpProblem('invalid_token');
    }
    use.note(key.id, deps.now());
    const viewer = viewerOfKey(key);
    if (!may(viewer, 'change_settings')) throw new HttpProblem('insufficient_scope');
    return viewer;
  };
}

function keyIn(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  if (countHeaders(request.raw, 'authorization') > 1) {
    throw new HttpProblem('bad_request', 'The request has two Authorization headers.');
  }
  const [scheme = '', value = ''] = header.trim().split(/\s+/, 2);
  if (/^basic$/i.test(scheme))
    return Buffer.from(value, 'base64')
      .toString()
      .replace(/^[^:]*:/, '');
  return value;
}

/** A hit, or the sentence that says why it is invalid. */
type ReadForeign = { readonly hit: Hit } | { readonly fault: string };

/** The hit of a request without a key, from which address, user agent, language and time come. */
export function readUnclaimed(input: HitInput, request: FastifyRequest, now: Date): ReadForeign {
  return withFault(readHit(input, browserOf({ ip: request.ip, headers: request.raw.headers }, now)));
}

/** The hit of a request with a key. The rest comes from the request, but never half of a visitor. */
export function readClaimed(input: HitInput, claims: Claims, request: FastifyRequest, now: Date): ReadForeign {
  const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined && value !== ''));
  const { 'user-agent': userAgent, 'accept-language': language } = request.headers;
  const ip = readAddress(request.ip);
  const own = {
    ...(ip === undefined ? {} : { ip }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(language === undefined ? {} : { language }),
  };
  const isVisitor = 'ip' in given || 'visitor' in given;
  return withFault(readServerHit({ ...input, ...(isVisitor ? {} : own), ...given }, now));
}

function withFault(read: ReadHit): ReadForeign {
  return 'faults' in read ? { fault: read.faults.map(({ detail }) => detail).join(' ') } : read;
}
