import { createHash } from 'node:crypto';
import {
  clientNetwork,
  createTokenBuckets,
  decodeJsonBodies,
  decodeQueries,
  type Face,
  forbidCaching,
  HttpProblem,
  isNotModified,
  prepareProblem,
  sendDetails,
} from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { browserHit } from './browser-hit.ts';
import type { Collection } from './collect.ts';
import { allowOrigins, servePreflight, useCors } from './cors.ts';
import { OutcomeUnknown } from './group-commit.ts';
import type { HitMetrics } from './hit-metrics.ts';
import { type HitRequest, readHitBody, readPixelQuery } from './read-hit-body.ts';
import { readPlausibleBody } from './read-plausible-body.ts';
import type { WebsiteLookup, WebsiteSettings } from './website-settings.ts';

const BODY_LIMIT = 8_192;
/** A transparent GIF of one pixel, 43 bytes. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
/** Hits at once and hits a second, per client network and website. */
const RATE = { burst: 300, perSecond: 50 } as const;

export interface FaceDependencies {
  readonly collection: Collection;
  readonly websites: WebsiteSettings;
  readonly metrics: HitMetrics;
  readonly now: () => Date;
  /** Whether hits are limited per client network and website. */
  readonly isLimited: boolean;
  /** The tracker's source. */
  readonly script: string;
}

interface PixelRequest {
  Querystring: Record<string, unknown>;
}

/** The face that pages send hits to: the collector's routes and the tracker's script. */
export function createFace(deps: FaceDependencies): Face {
  return {
    register(scope) {
      useCors(scope);
      forbidCaching(scope);
      hitRoutes(scope, deps);
      scriptRoute(scope, deps.script);
    },

    sendError(error, request, reply) {
      allowOrigins(reply);
      const details = prepareProblem(error, request, reply);
      // Sent again, a hit that may be stored could count twice.
      if (error instanceof OutcomeUnknown) reply.removeHeader('retry-after');
      deps.metrics.refused(details.code);
      sendDetails(details, reply);
    },
  };
}

function hitRoutes(scope: FastifyInstance, deps: FaceDependencies): void {
  const { collection, websites, metrics, now } = deps;
  const buckets = deps.isLimited ? createTokenBuckets(RATE.burst, RATE.perSecond) : undefined;
  // During an outage `info` or `warn` would log a line per hit; the database adapter logs the outage itself.
  const isQuieter = scope.log.level === 'fatal' || scope.log.level === 'silent';
  const options = isQuieter ? {} : ({ logLevel: 'error' } as const);

  function limit(website: string, address: string | undefined): void {
    // Websites that are not known share a bucket, so that guesses cannot flood the database. The spellings of an address
    // share the bucket of its website.
    const allowance = buckets?.take(`${clientNetwork(address)} ${websites.knownId(website) ?? ''}`);
    if (allowance?.allowed !== false) return;
    throw new HttpProblem('rate_limited', 'This client sends too many hits for this website.', {
      'retry-after': String(allowance.retryAfter),
    });
  }

  /** What all routes do with a hit: the rate limit, then the count, then the header and the metrics of the outcome. */
  async function collect(
    { website, members }: HitRequest,
    find: WebsiteLookup,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    // Fastify finds the address anew each time.
    const address: string | undefined = request.ip;
    limit(website, address);
    const hit = browserHit(members, address, request.raw.headers, now());
    const reason = await collection.collect(website, find, hit);
    if (reason === undefined) return metrics.counted();
    reply.header('hitherto-dropped', reason);
    metrics.dropped(reason);
  }

  scope.register(async (bodies: FastifyInstance) => {
    decodeJsonBodies(bodies, ['text/plain', 'application/json'], BODY_LIMIT);

    servePreflight(bodies, '/hits', ['POST']);
    bodies.post<{ Body: Record<string, unknown> }>('/hits', options, async (request, reply) => {
      await collect(readHitBody(request.body), websites.find, request, reply);
      return reply.code(202).send();
    });

    servePreflight(bodies, '/api/event', ['POST']);
    bodies.post<{ Body: Record<string, unknown> }>('/api/event', options, async (request, reply) => {
      const hit = readPlausibleBody(request.body);
      if (hit !== undefined) await collect(hit, websites.findByIdOrAddress, request, reply);
      return reply.code(202).send();
    });
  });

  servePreflight(scope, '/hits.gif', ['GET', 'HEAD']);
  scope.register(async (queries: FastifyInstance) => {
    decodeQueries(queries);

    // A HEAD shows no page, so it counts nothing.
    queries.head<PixelRequest>('/hits.gif', options, async (request, reply) => {
      const { website } = readPixelQuery(request.query, request.headers.referer);
      limit(website, request.ip);
      await collection.check(website, websites.find);
      return pixelHeaders(reply).send();
    });

    queries.get<PixelRequest>('/hits.gif', { ...options, exposeHeadRoute: false }, async (request, reply) => {
      await collect(readPixelQuery(request.query, request.headers.referer), websites.find, request, reply);
      return pixelHeaders(reply).send(PIXEL);
    });
  });
}

/** Chromium without scripts would ask twice for a pixel that must not be stored. */
function pixelHeaders(reply: FastifyReply): FastifyReply {
  return reply.type('image/gif').header('cache-control', 'no-cache');
}

function scriptRoute(scope: FastifyInstance, script: string): void {
  const etag = `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`;
  scope.get('/script.js', (request, reply) => {
    reply.header('cache-control', 'public, max-age=86400').header('etag', etag);
    if (isNotModified(request, etag)) return reply.code(304).send();
    return reply.type('text/javascript; charset=utf-8').send(script);
  });
}
