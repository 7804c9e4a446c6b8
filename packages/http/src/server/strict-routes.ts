import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../problems/problems.ts';
import type { Face } from './face.ts';
import { nearestPattern } from './near-path.ts';
import { discardBody } from './request-checks.ts';

/** Where the API documents itself (RFC 8631). */
const DOCUMENTATION = '/docs';

/** An escape of a character that needs none: a letter, a digit, or one of `-._~` (RFC 3986, section 2.3). */
const UNNECESSARY_ESCAPE = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/i;

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
    else if (pattern === undefined || (matches(pattern, path) && !UNNECESSARY_ESCAPE.test(path))) done();
    else done(unknownPath(request));
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
