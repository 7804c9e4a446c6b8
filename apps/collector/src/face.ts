import {
  type CollectDependencies,
  collectHits,
  type FindSettings,
  OutcomeUnknown,
  UnknownWebsites,
  untilAvailable,
  type WaitingHits,
} from '@hitherto/domain';
import {
  clientNetwork,
  createTokenBuckets,
  decodeJsonBodies,
  decodeQueries,
  type Face,
  forbidCaching,
  HttpProblem,
  type Metrics,
  prepareProblem,
  sendDetails,
} from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { browserHit, type HitRequest, readHitBody, readPixelQuery } from './read-hit-request.ts';
import { readPlausibleBody } from './read-plausible-body.ts';
import { scriptRoute } from './tracker/route.ts';
import type { WebsiteSettings } from './website-settings.ts';

const BODY_LIMIT = 8_192;
/** A transparent GIF of one pixel, 43 bytes. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
/** Hits at once and hits a second, per client network and website. */
const RATE = { burst: 300, perSecond: 50 } as const;

const UNKNOWN_WEBSITE =
  'There is no such website. Send the id of a website; /api/event also takes an alias, or an address that exactly one website has.';

export interface FaceDependencies extends CollectDependencies {
  readonly waiting: WaitingHits;
  readonly websites: WebsiteSettings;
  readonly metrics: Metrics;
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
      scope.addHook('onRequest', (_request, reply, done) => {
        allowOrigins(reply);
        done();
      });
      forbidCaching(scope);
      hitRoutes(scope, deps);
      scriptRoute(scope, deps.script);
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

function hitRoutes(scope: FastifyInstance, deps: FaceDependencies): void {
  const { waiting, websites, metrics, now } = deps;
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

  /** Collects the hit of a request, within the rate limit, and says if it was dropped. */
  async function collect(
    { website, fields }: HitRequest,
    find: FindSettings,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    // Fastify computes the address on each access.
    const address: string | undefined = request.ip;
    limit(website, address);
    const hit = browserHit(fields, address, request.raw.headers, now());
    const { dropped } = await waiting.admit(1, (deadline) =>
      collectHits(deps, find, [{ website, hit }], { deadline, untilCertain: false }),
    );
    const reason = dropped[0]?.reason;
    if (reason === undefined) return metrics.hits.counted(1);
    reply.header('hitherto-dropped', reason);
    metrics.hits.dropped(reason);
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
      if (hit !== undefined) await collect(hit, websites.findByAnyName, request, reply);
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
      const settings = await waiting.admit(1, (deadline) => untilAvailable(() => websites.find(website), deadline));
      if (settings === undefined) throw new UnknownWebsites([0]);
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

/** Any page may send hits and read the outcome, without credentials (statistics.md, section 2). */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Hitherto-Dropped, Retry-After',
  // Cross-origin isolated pages must be able to load the script and the pixel too.
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** How long a browser may cache a preflight, in seconds; no browser caches it longer. */
const MAX_AGE = '86400';

/** Lets pages of any origin read a response; errors need it too. */
function allowOrigins(reply: FastifyReply): void {
  reply.headers(CORS);
}

/** Responds to the preflights of a route. */
function servePreflight(scope: FastifyInstance, url: string, methods: readonly string[]): void {
  const allow = [...methods, 'OPTIONS'].sort().join(', ');
  scope.options(url, (_request, reply) => {
    reply
      .code(204)
      .header('allow', allow)
      .header('access-control-allow-methods', methods.join(', '))
      .header('access-control-allow-headers', 'Content-Type')
      .header('access-control-max-age', MAX_AGE)
      .send();
  });
}
