import { createHash } from 'node:crypto';
import { isNotModified } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** A handler that serves the source of a script for browsers. */
export function serveScript(script: string): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const etag = `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`;
  return (request, reply) => {
    reply.header('cache-control', 'public, max-age=86400').header('etag', etag);
    if (isNotModified(request, etag)) return reply.code(304).send();
    return reply.type('text/javascript; charset=utf-8').send(script);
  };
}

/** Serves the tracker's source. */
export function scriptRoute(scope: FastifyInstance, script: string): void {
  scope.get('/script.js', serveScript(script));
}
