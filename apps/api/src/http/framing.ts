import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countHeaders } from './authentication.ts';
import { COMMON_HEADERS } from './common-headers.ts';
import { HttpProblem } from './problems.ts';

/** Puts on an answer what all of them carry. */
export function markAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(COMMON_HEADERS).header('x-request-id', request.id);
}

/** Puts on every answer what all of them carry, and refuses requests without exactly one Host (RFC 9112, section 3.2). */
export function frameRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    markAnswer(request, reply);
    const hosts = countHeaders(request, 'host');
    const isFramed = hosts === 1 || (hosts === 0 && request.raw.httpVersion === '1.0');
    done(isFramed ? undefined : new HttpProblem('bad_request', 'A request has exactly one Host header.'));
  });
}
