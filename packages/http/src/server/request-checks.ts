import type { IncomingMessage } from 'node:http';
import { type DomainError, unavailable } from '@hitherto/domain';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../problems/problems.ts';
import type { Face, Lifecycle } from './face.ts';
import { nearestPattern } from './near-path.ts';
import { MAX_HEADER_BYTES } from './node-server.ts';

// The checks of every request before its route: common headers, framing, then path and method.

/** Sets the headers that every response of every face has. */
export function markResponse(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(serverHeaders(request.id));
}

/** The headers that every response has. */
export function serverHeaders(requestId: string) {
  return { 'x-content-type-options': 'nosniff', 'x-request-id': requestId };
}

/** Forbids caching the responses of a scope. */
export function forbidCaching(scope: FastifyInstance): void {
  scope.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store');
    done();
  });
}

/** Throws `unavailable` until the database has been migrated. */
export function assertPrepared({ isPrepared }: Lifecycle): void {
  if (!isPrepared) throw notPrepared();
}

/** Rejects the requests of a scope until the database has been migrated. */
export function requirePrepared(scope: FastifyInstance, lifecycle: Lifecycle): void {
  scope.addHook('onRequest', (_request, _reply, done) => {
    done(lifecycle.isPrepared ? undefined : notPrepared());
  });
}

function notPrepared(): DomainError {
  return unavailable('The database is not ready yet.');
}

/** How often a header occurs. Of some headers, Node's `headers` has only the first, and hostile input makes `headersDistinct` throw. */
export function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index];
    if (header?.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}

/** A body parser that reads nothing and always succeeds. */
export function discardBody(
  _request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: undefined) => void,
): void {
  payload.resume();
  done(null);
}

/** A name or an address, and a port (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;

/** Sets the common headers, and rejects requests whose framing is malformed (RFC 9112, sections 3.2 and 6). */
export function checkFraming(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    markResponse(request, reply);
    done(framingProblem(request.raw));
  });
}

/** The problem of a request whose head is too large or malformed. */
export function framingProblem(request: IncomingMessage): HttpProblem | undefined {
  if (headerBytes(request) > MAX_HEADER_BYTES) return new HttpProblem('headers_too_large');
  const { headers, httpVersion } = request;
  const hosts = countHeaders(request, 'host');
  const isNamed = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  if (!isNamed || !HOST.test(headers.host ?? '')) {
    return new HttpProblem(
      'bad_request',
      'A request must have exactly one Host header: a name, with or without a port.',
    );
  }
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    return new HttpProblem('bad_request', 'The only supported Transfer-Encoding is "chunked".', {
      connection: 'close',
    });
  }
  return undefined;
}

/** Node counts only names and values, so thousands of short headers would pass. */
function headerBytes({ url, method, rawHeaders }: IncomingMessage): number {
  // Beside the target, the request line has its method, spaces, version and line break; an empty line ends the head.
  let bytes = (url?.length ?? 0) + (method?.length ?? 0) + 14;
  for (const text of rawHeaders) bytes += text.length + 2;
  return bytes;
}

/** Where the API documents itself (RFC 8631). */
const DOCUMENTATION = '/docs';

interface Route {
  readonly face: Face;
  readonly methods: Set<string>;
}

/**
 * Allows only one spelling of each path, and responds to an unsupported method with 405 and `Allow`. Fastify by itself would
 * decode escapes, accept an empty parameter and respond with 404. Call it before registering any route.
 */
export function routeStrictly(app: FastifyInstance) {
  const routes = new Map<string, Route>();

  app.addHook('onRequest', (request, _reply, done) => {
    // Unrouted requests are not parsed, so neither their body nor its type can be wrong, or missing (as in a QUERY).
    if (request.is404) request.raw.headers['content-type'] = 'application/octet-stream';
    const pattern = request.routeOptions.url;
    const path = pathOf(request);
    const own = routes.get(path);
    // The router tries the next pattern where the path's own route lacks the method.
    if (pattern !== undefined && own?.methods.has(request.method) === false) done(methodNotAllowed(own));
    else done(pattern === undefined || matches(pattern, path) ? undefined : unknownPath(request));
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', discardBody);

  /** The problem of a path that is not served: it names the nearest one, and the documentation. */
  function unknownPath(request: FastifyRequest): HttpProblem {
    const path = pathOf(request);
    // A malformed id must look like an unknown one.
    if ([...routes.keys()].some((pattern) => matches(pattern, path))) return new HttpProblem('not_found');
    const near = nearestPattern(path, routes.keys());
    const isDocumented = routes.has(DOCUMENTATION);
    const sentences = [
      'There is nothing at this path.',
      ...(near === undefined ? [] : [`Did you mean ${near}?`]),
      ...(isDocumented ? [`${DOCUMENTATION} lists all paths.`] : []),
    ];
    const headers = isDocumented ? { link: `<${DOCUMENTATION}>; rel="service-doc"` } : undefined;
    return new HttpProblem('not_found', sentences.join(' '), headers);
  }

  /** The face that serves paths beginning like this one. */
  function nearestFace(path: string, fallback: Face): Face {
    const first = path.split('/').find((part) => part !== '') ?? '';
    return [...routes].find(([pattern]) => pattern.split('/')[1] === first)?.[1].face ?? fallback;
  }

  /** Responds that there is nothing at this path, as the face does that serves paths beginning like it. */
  function sendUnknown(fallback: Face, request: FastifyRequest, reply: FastifyReply): void {
    nearestFace(pathOf(request), fallback).sendError(unknownPath(request), request, reply);
  }

  function sendUnrouted(fallback: Face, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const path = pathOf(request);
    const pattern = [...routes.keys()].find((candidate) => matches(candidate, path)) ?? '';
    const route = routes.get(path) ?? routes.get(pattern);
    // The route exists for this method, but has nothing at this path, such as a missing file.
    if (route === undefined || (route.methods.has(request.method) && request.method !== 'OPTIONS')) {
      sendUnknown(fallback, request, reply);
      return reply;
    }
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allowOf(route)).send();
    route.face.sendError(methodNotAllowed(route), request, reply);
    return reply;
  }

  return {
    /** Records the routes that a face's scope registers. */
    collect(scope: FastifyInstance, face: Face): void {
      scope.addHook('onRoute', ({ url, method }) => {
        // Plugins add a spelling with a trailing slash, which is not served.
        if (url.endsWith('/') && url !== '/') return;
        const methods = routes.get(url)?.methods ?? new Set(['OPTIONS']);
        for (const name of [method].flat()) methods.add(name);
        routes.set(url, { face, methods });
      });
    },

    sendUnknown,

    /** Handles unrouted requests in the scope of the face that gets unknown paths. */
    serveUnknown(scope: FastifyInstance, face: Face): void {
      scope.setNotFoundHandler((request, reply) => sendUnrouted(face, request, reply));
    },
  };
}

function allowOf({ methods }: Route): string {
  return [...methods].sort().join(', ');
}

function methodNotAllowed(route: Route): HttpProblem {
  return new HttpProblem('method_not_allowed', undefined, { allow: allowOf(route) });
}

/** The path as sent, also from a target in absolute form (RFC 9112, section 3.2.2). */
function pathOf({ raw: { url = '' } }: FastifyRequest): string {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

/** A query that `decodeQueries` has not decoded yet. */
export interface UndecodedQuery {
  readonly undecoded: string;
}

/** The router's parser of queries: it leaves them undecoded. */
export function keepQuery(undecoded: string): Record<string, unknown> {
  return { undecoded } satisfies UndecodedQuery;
}

/** Whether a path matches a route such as `/websites/:id/destroy` or `/docs/*`. */
function matches(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  const parts = path.split('/');
  const wanted = pattern.split('/');
  if (wanted.at(-1) === '*') return wanted.slice(0, -1).every((part, index) => parts[index] === part);
  return (
    wanted.length === parts.length &&
    wanted.every((part, index) => (part.startsWith(':') ? parts[index] !== '' : part === parts[index]))
  );
}
