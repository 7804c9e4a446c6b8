import { OutcomeUnknown, UnknownWebsites, untilAvailable } from '@hitherto/domain';
import {
  decodeJsonBodies,
  decodeQueries,
  type Face,
  forbidCaching,
  HttpProblem,
  prepareProblem,
  sendDetails,
} from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { BODY_LIMIT, type Collecting, type CollectingDependencies, createCollecting, quietly } from './collecting.ts';
import type { KeyDependencies } from './foreign/claims.ts';
import { foreignRoutes } from './foreign/foreign-routes.ts';
import { readHitBody, readPixelQuery } from './read-hit-request.ts';
import { allowOrigins, PIXEL, pixelHeaders, servePreflight } from './responses.ts';
import { scriptRoutes } from './tracker/route.ts';

const UNKNOWN_WEBSITE =
  'There is no such website. Send the id of a website; /api/event also takes an alias, or an address or host that exactly one website has.';

export interface FaceDependencies extends CollectingDependencies, KeyDependencies {
  /** The tracker's source. */
  readonly script: string;
  /** Further paths of the tracker, and of `/hits`. */
  readonly scriptPaths?: readonly string[] | undefined;
  readonly hitPaths?: readonly string[] | undefined;
}

interface PixelRequest {
  Querystring: Record<string, unknown>;
}

/** The face that pages send hits to: the collector's routes and the tracker's script. */
export function createFace(deps: FaceDependencies): Face {
  return {
    register(scope) {
      scope.addHook('onRequest', (_request, reply, done) => {
        allowOrigins(reply);
        done();
      });
      forbidCaching(scope);
      const collecting = createCollecting(deps);
      hitRoutes(scope, deps, collecting);
      foreignRoutes(scope, deps, collecting);
      scriptRoutes(scope, deps.script, deps.scriptPaths ?? [], deps.hitPaths?.[0] ?? '/hits');
    },

    sendError(error, request, reply) {
      allowOrigins(reply);
      const isUnknown = error instanceof UnknownWebsites;
      const details = prepareProblem(isUnknown ? new HttpProblem('not_found', UNKNOWN_WEBSITE) : error, request, reply);
      // Sent again, a hit that may be stored could count twice.
      if (error instanceof OutcomeUnknown) reply.removeHeader('retry-after');
      deps.metrics.hits.rejected(details.code);
      sendDetails(details, reply);
    },
  };
}

function hitRoutes(
  scope: FastifyInstance,
  { waiting, websites, hitPaths = [] }: FaceDependencies,
  collecting: Collecting,
): void {
  const options = quietly(scope);

  scope.register(async (bodies: FastifyInstance) => {
    decodeJsonBodies(bodies, ['text/plain', 'application/json'], BODY_LIMIT);

    for (const path of ['/hits', ...hitPaths]) {
      servePreflight(bodies, path, ['POST']);
      bodies.post<{ Body: Record<string, unknown> }>(path, options, async (request, reply) => {
        await collecting.collect(readHitBody(request.body), websites.find, request, reply);
        return reply.code(202).send();
      });
    }
  });

  servePreflight(scope, '/hits.gif', ['GET', 'HEAD']);
  scope.register(async (queries: FastifyInstance) => {
    decodeQueries(queries);

    // A HEAD shows no page, so it counts nothing.
    queries.head<PixelRequest>('/hits.gif', options, async (request, reply) => {
      const { website } = readPixelQuery(request.query, request.headers.referer);
      collecting.limit(website, request.ip);
      const settings = await waiting.admit(1, (deadline) => untilAvailable(() => websites.find(website), deadline));
      if (settings === undefined) throw new UnknownWebsites([0]);
      return pixelHeaders(reply).send();
    });

    queries.get<PixelRequest>('/hits.gif', { ...options, exposeHeadRoute: false }, async (request, reply) => {
      await collecting.collect(readPixelQuery(request.query, request.headers.referer), websites.find, request, reply);
      return pixelHeaders(reply).send(PIXEL);
    });
  });
}
