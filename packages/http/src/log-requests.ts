import type { FastifyInstance, FastifyRequest } from 'fastify';
import { routeOf } from './metrics.ts';

/** Logs one line at `info` for each response of a scope, with `details` of the request, which must not be personal data. */
export function logRequests(
  scope: FastifyInstance,
  details: (request: FastifyRequest) => Readonly<Record<string, unknown>> = () => ({}),
): void {
  scope.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        route: routeOf(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        ...(reply.problem === null ? {} : { problem: reply.problem }),
        ...details(request),
      },
      'request',
    );
    done();
  });
}
