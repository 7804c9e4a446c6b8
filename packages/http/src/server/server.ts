import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { createAddressOf, trustProxies } from '../limits/client-address.ts';
import { HttpProblem } from '../problems/problems.ts';
import { endConnections, newRequestId, sendClientError } from './connections.ts';
import type { Face } from './face.ts';
import { createFastPath } from './fast-path.ts';
import { createNodeServer, type Tls } from './node-server.ts';
import { type Metrics, observeRequests } from './observability.ts';
import { faceOfError } from './pages-for-browsers.ts';
import { inSequence } from './pipelining.ts';
import { checkFraming, keepQuery, markResponse } from './request-checks.ts';
import { schemaCompilers, validateRequests } from './schema-compilers.ts';
import { routeStrictly, type SendError } from './strict-routes.ts';

interface ServerDependencies {
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** The proxies whose `X-Forwarded-For` counts, as addresses or CIDRs. */
  readonly trustedProxies: readonly string[];
  readonly tls?: Tls;
  /** How long a stopping server still accepts connections, in milliseconds; 0 if absent. */
  readonly drainMs?: number;
  /** Resolves when all processes that listen on the same socket have closed it; if absent, there is one. */
  readonly closedByAll?: () => Promise<void>;
}

/** One server for all faces, the same in tests and production. It does not listen yet. The first face gets the paths that no face serves. */
export async function createServer(
  deps: ServerDependencies,
  faces: readonly [Face, ...Face[]],
): Promise<FastifyInstance> {
  const sendError: SendError = (face, error, request, reply) =>
    faceOfError(faces, face, error, request).sendError(error, request, reply);
  const trustProxy = deps.trustedProxies.length === 0 ? false : trustProxies(deps.trustedProxies);
  const fastPath = createFastPath({ metrics: deps.metrics, addressOf: createAddressOf(trustProxy) });
  const app = Fastify({
    loggerInstance: deps.logger,
    // Each face has its own log lines: see logRequests.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy,
    serverFactory: (listener) => createNodeServer(inSequence(fastPath.before(listener)), deps.tls),
    clientErrorHandler: sendClientError,
    // No hook runs for requests that the router itself rejects.
    frameworkErrors: (error, request, reply) => {
      markResponse(request, reply);
      // The path has a malformed escape, so no route matches.
      if (error.code === 'FST_ERR_BAD_URL') routes.sendUnknown(faces[0], request, reply);
      else sendError(faces[0], error, request, reply);
    },
    // Requests that arrive during shutdown are served, and their connections closed afterwards.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // On a machine that is too busy, a start may take longer than Fastify's 10 seconds, and would fail.
    pluginTimeout: 0,
    routerOptions: {
      // A path may be as long as the headers allow; a long id is a 404 like any other.
      maxParamLength: 16_384,
      querystringParser: keepQuery,
    },
    schemaController: { compilersFactory: schemaCompilers },
    // Faces report the errors of schemas; Fastify's own message about all of them could have megabytes.
    schemaErrorFormatter: () => new HttpProblem('bad_request'),
  });

  app.decorateReply('problem', null);
  fastPath.attach(app);
  checkFraming(app);
  endConnections(app, deps.drainMs ?? 0, deps.closedByAll);
  observeRequests(app, deps.metrics);
  const routes = routeStrictly(app, sendError);
  for (const face of faces) {
    await app.register(async (scope) => {
      scope.setErrorHandler((error, request, reply) => sendError(face, error, request, reply));
      validateRequests(scope);
      routes.collect(scope, face);
      if (face === faces[0]) routes.serveUnknown(scope, face);
      await face.register(scope);
    });
  }
  await app.ready();
  return app;
}
