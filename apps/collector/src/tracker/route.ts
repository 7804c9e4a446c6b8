import { createHash } from 'node:crypto';
import { isNotModified } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';

/** Serves the tracker's source. */
export function scriptRoute(scope: FastifyInstance, script: string): void {
  const etag = `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`;
  scope.get('/script.js', (request, reply) => {
    reply.header('cache-control', 'public, max-age=86400').header('etag', etag);
    if (isNotModified(request, etag)) return reply.code(304).send();
    return reply.type('text/javascript; charset=utf-8').send(script);
  });
}
