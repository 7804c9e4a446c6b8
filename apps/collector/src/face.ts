import { OutcomeUnknown, UnknownWebsites, untilAvailable } from '@hitherto/domain';
import {
  addFastRoute,
  decodeJsonBodies,
  decodeQueries,
  type Face,
  type FastRoute,
  forbidCaching,
  HttpProblem,
  prepareProblem,
  sendDetails,
} from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { type Collecting, type CollectingDependencies, createCollecting, HIT_BODIES, quietly } from './collecting.ts';
import type { KeyDependencies } from './foreign/claims.ts';
import { foreignRoutes } from './foreign/foreign-routes.ts';
import { readHitBody, readPixelQuery } from './read-hit-request.ts';
import { allowOrigins, HIT_HEADERS, PIXEL, pixelHeaders, servePreflight } from './responses.ts';
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
    decodeJsonBodies(bodies, HIT_BODIES.types, HIT_BODIES.limit);

    const take: FastRoute['take'] = async (body, sender) =>
      collecting.collect(readHitBody(body), websites.find, sender);
    for (const path of ['/hits', ...hitPaths]) {
      servePreflight(bodies, path, ['POST']);
      addFastRoute(bodies, path, { bodies: HIT_BODIES, headers: HIT_HEADERS, take }, options);
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
      const hit = readPixelQuery(request.query, request.headers.referer);
      reply.headers(await collecting.collect(hit, websites.find, request));
      return pixelHeaders(reply).send(PIXEL);
    });
  });
}
