import { createHash } from 'node:crypto';
import { isNotModified } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A handler that serves the source of a script for browsers. */
export function serveScript(script: string): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const etag = `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`;
  return (request, reply) => {
    // Weak: the compressed script has the same tag.
    reply.header('cache-control', 'public, max-age=86400').header('etag', `W/${etag}`);
    if (isNotModified(request, etag)) return reply.code(304).send();
    return reply.type('text/javascript; charset=utf-8').send(script);
  };
}

/** Where the script sends, next to itself; it stands once in the source. */
const NEXT_TO_ITSELF = '"hits"';

/** Serves the tracker's source, under further paths with the address of `hitPath` relative to each. */
export function scriptRoutes(
  scope: FastifyInstance,
  script: string,
  furtherPaths: readonly string[],
  hitPath: string,
): void {
  scope.get('/script.js', serveScript(script));
  for (const path of furtherPaths) {
    // Relative, so that it holds below the path of a proxy, too.
    const address = '../'.repeat(path.split('/').length - 2) + hitPath.slice(1);
    scope.get(path, serveScript(script.replace(NEXT_TO_ITSELF, JSON.stringify(address))));
  }
}
