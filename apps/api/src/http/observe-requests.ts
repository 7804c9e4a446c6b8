import { type Metrics, routeOf } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import './authentication.ts';

/** Observes every answer of the app. */
export function observeRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.observe(request, reply);
    request.log.info(
      {
        method: request.method,
        route: routeOf(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        ...(reply.problem === null ? {} : { problem: reply.problem }),
        ...(request.apiKey ? { account: request.apiKey.accountId, key: request.apiKey.id } : {}),
      },
      'request',
    );
    done();
  });
}
