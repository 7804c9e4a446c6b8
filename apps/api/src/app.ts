import { randomUUID } from 'node:crypto';
import type { AccessRepository, WebsiteDependencies } from '@hitherto/domain';
import {
  answerClientError,
  createAccountLimit,
  createHttpServer,
  createKeyUse,
  createMetrics,
  decodeQueries,
  describeError,
  endConnections,
  frameRequests,
  type GaugeSource,
  markAnswer,
  Problem,
  sendProblem,
  type Tls,
  trustProxies,
} from '@hitherto/http';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { requireKey } from './http/authentication.ts';
import { observeRequests } from './http/observe-requests.ts';
import { documentApi } from './http/openapi.ts';
import { answerUnroutedRequests } from './http/unrouted-requests.ts';
import { operationRoutes } from './operations/routes.ts';
import { websiteRoutes } from './websites/routes.ts';
import { NAMED_SCHEMAS } from './websites/schemas.ts';

/** What the app needs from outside, and how it is set. */
export interface AppDependencies extends WebsiteDependencies {
  readonly access: AccessRepository;
  readonly logger: FastifyBaseLogger;
  /** The version of the program, for the OpenAPI document. */
  readonly version: string;
  /** Whether the database has been prepared; before, nothing is asked of it. */
  readonly isPrepared: () => boolean;
  /** Rejects where the database cannot be reached. */
  readonly ping: () => Promise<void>;
  /** Requests a minute and account; 0 for no limit. */
  readonly rateLimitPerMinute: number;
  /** The proxies whose `X-Forwarded-For` counts, as addresses or CIDRs. */
  readonly trustedProxies: readonly string[];
  readonly tls?: Tls;
  readonly gauges?: readonly GaugeSource[];
}

/** The whole HTTP service, the same for tests and production. It listens to nothing by itself. */
export async function buildApp(deps: AppDependencies): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: deps.logger,
    // One line a request is written, when it is answered; see observeRequests.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: deps.trustedProxies.length === 0 ? false : trustProxies(deps.trustedProxies),
    serverFactory: (listener) => createHttpServer(listener, deps.tls),
    clientErrorHandler: answerClientError(() => randomUUID()),
    // No hook runs for what the router itself refuses.
    frameworkErrors: (error, request, reply) => {
      markAnswer(request, reply);
      sendProblem(error, request, reply);
    },
    // Requests that arrive while the service stops are served; their connections are closed after.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: {
      // A path may be as long as the headers allow; one that fits no id is a 404 like any other.
      maxParamLength: 16_384,
      querystringParser: (undecoded) => ({ undecoded }),
    },
    // Nothing is coerced, filled in or dropped, and all faults are told.
    ajv: {
      customOptions: {
        coerceTypes: false,
        useDefaults: false,
        removeAdditional: false,
        allErrors: true,
        verbose: true,
        allowUnionTypes: true,
      },
    },
  });

  const metrics = createMetrics(deps.gauges ?? []);
  app.decorateReply('problem', null);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  frameRequests(app);
  endConnections(app);
  answerUnroutedRequests(app);
  observeRequests(app, metrics);
  for (const schema of [Problem, ...NAMED_SCHEMAS]) app.addSchema(schema);
  await documentApi(app, deps.version);

  const isReady = async () => {
    if (!deps.isPrepared()) return false;
    return deps.ping().then(
      () => true,
      () => false,
    );
  };
  await app.register(async (open) => operationRoutes(open, { isReady, metrics }));

  const keyUse = createKeyUse(deps.access, (error) =>
    app.log.warn({ error: describeError(error) }, 'key use not written'),
  );
  app.addHook('onClose', () => keyUse.stop());
  const accountLimit = deps.rateLimitPerMinute === 0 ? undefined : createAccountLimit(deps.rateLimitPerMinute);
  await app.register(async (authenticated) => {
    await requireKey(authenticated, { ...deps, keyUse, accountLimit });
    decodeQueries(authenticated);
    websiteRoutes(authenticated, deps);
  });

  await app.ready();
  return app;
}
