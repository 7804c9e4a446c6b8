import type { FastifyInstance, FastifyRequest } from 'fastify';
import { routeOf } from './metrics.ts';

/** Logs each response of a scope in one line at `info`, with `details` of the request; neither may hold personal data. */
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
