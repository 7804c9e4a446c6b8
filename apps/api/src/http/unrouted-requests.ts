import { discardBody, HttpProblem, sendProblem } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Answers what no route serves: OPTIONS with 204 and another method with 405, both with `Allow`, where the path exists;
 * 404 else. Fastify itself would answer 404 to a wrong method. Call it before any route is registered.
 */
export function answerUnroutedRequests(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    // The page's plugin adds a spelling with a slash, which is not served.
    if (url.endsWith('/')) return;
    const methods = methodsOf.get(url) ?? new Set(['OPTIONS']);
    for (const name of [method].flat()) methods.add(name);
    methodsOf.set(url, methods);
  });

  // The router decodes escapes and lets a parameter be empty; here a path has one spelling.
  app.addHook('onRequest', (request, _reply, done) => {
    // What no route serves is not read either: neither its body nor what that claims to be can be wrong.
    if (request.is404) delete request.raw.headers['content-type'];
    const pattern = request.routeOptions.url;
    done(pattern === undefined || matches(pattern, pathOf(request)) ? undefined : new HttpProblem('not_found'));
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', discardBody);

  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request);
    const route = [...methodsOf.keys()].find((pattern) => matches(pattern, path));
    const methods = methodsOf.get(route ?? '');
    // A route that serves the method and still ends here has nothing at this path: no such file of the page, say.
    if (methods === undefined || (methods.has(request.method) && request.method !== 'OPTIONS')) {
      return sendProblem(new HttpProblem('not_found'), request, reply);
    }
    const allow = [...methods].sort().join(', ');
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send();
    return sendProblem(new HttpProblem('method_not_allowed', undefined, { allow }), request, reply);
  });
}

/** The path as it was sent, also of a target in absolute form (RFC 9112, section 3.2.2). */
function pathOf({ raw: { url = '' } }: FastifyRequest): string {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

/** Whether a path fits a route such as `/websites/:id/destroy` or `/docs/*`. */
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
