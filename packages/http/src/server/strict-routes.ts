import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../problems/problems.ts';
import type { Face } from './face.ts';
import { nearestPattern } from './near-path.ts';
import { discardBody } from './request-checks.ts';

/** Where the API documents itself (RFC 8631). */
const DOCUMENTATION = '/docs';

/** An escape of a character that needs none: a letter, a digit, or one of `-._~` (RFC 3986, section 2.3). */
const UNNECESSARY_ESCAPE = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/i;

/** Responds to an error of a face. */
export type SendError = (face: Face, error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

interface Route {
  readonly face: Face;
  readonly methods: Set<string>;
  /** Of its pattern, such as `/websites/:id/destroy`. */
  readonly parts: readonly string[];
}

/**
 * Allows only one spelling of each path, and responds to an unsupported method with 405 and `Allow`. Fastify by itself would
 * decode escapes, accept an empty parameter and respond with 404. Call it before registering any route.
 */
export function routeStrictly(app: FastifyInstance, sendError: SendError) {
  const routes = new Map<string, Route>();

  app.addHook('onRequest', (request, _reply, done) => {
    // Unrouted requests are not parsed, so neither their body nor its type can be wrong, or missing (as in a QUERY).
    if (request.is404) request.raw.headers['content-type'] = 'application/octet-stream';
    const pattern = request.routeOptions.url;
    const path = pathOf(request);
    const own = routes.get(path);
    // The router tries the next pattern where the path's own route lacks the method.
    if (pattern !== undefined && own?.methods.has(request.method) === false) done(methodNotAllowed(own));
    else if (pattern === undefined || (isServed(pattern, path) && !UNNECESSARY_ESCAPE.test(path))) done();
    else done(unknownPath(request));
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', discardBody);

  /** Whether the router's pattern is one of ours, and the path matches it as it was sent. */
  function isServed(pattern: string, path: string): boolean {
    const route = routes.get(pattern);
    return route !== undefined && matches(route, partsOf(path));
  }

  /** The route whose pattern a path matches. */
  function routeOf(path: string): Route | undefined {
    const parts = partsOf(path);
    return routes.get(path) ?? [...routes.values()].find((route) => matches(route, parts));
  }

  /** The problem of a path that is not served: it names the nearest one, and the documentation. */
  function unknownPath(request: FastifyRequest): HttpProblem {
    const path = pathOf(request);
    // A malformed id must look like an unknown one.
    if (routeOf(path) !== undefined) return new HttpProblem('not_found');
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
    const first = partsOf(path).find((part) => part !== '') ?? '';
    return [...routes.values()].find(({ parts }) => parts[1] === first)?.face ?? fallback;
  }

  /** Responds that there is nothing at this path, as the face does that serves paths beginning like it. */
  function sendUnknown(fallback: Face, request: FastifyRequest, reply: FastifyReply): void {
    sendError(nearestFace(pathOf(request), fallback), unknownPath(request), request, reply);
  }

  function sendUnrouted(fallback: Face, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const route = routeOf(pathOf(request));
    // The route exists for this method, but has nothing at this path, such as a missing file.
    if (route === undefined || (route.methods.has(request.method) && request.method !== 'OPTIONS')) {
      sendUnknown(fallback, request, reply);
      return reply;
    }
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allowOf(route)).send();
    sendError(route.face, methodNotAllowed(route), request, reply);
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
        routes.set(url, { face, methods, parts: url.split('/') });
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

/** More parts than any route has: a path of 16 KB can have thousands. */
const MOST_PARTS = 32;

function partsOf(path: string): string[] {
  return path.split('/', MOST_PARTS);
}

/** Whether a path of these parts matches a route. */
function matches({ parts: wanted }: Route, parts: readonly string[]): boolean {
  return (
    wanted.length === parts.length &&
    wanted.every((part, index) => (part.startsWith(':') ? parts[index] !== '' : part === parts[index]))
  );
}
