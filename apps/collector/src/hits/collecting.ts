import { untilAvailable } from '@hitherto/domain/base';
import {
  type AddressedHit,
  type CollectDependencies,
  type CountingSettings,
  collectHit,
  collectHits,
  collectMeasure,
  type DropReason,
  type FindSettings,
  type Hit,
  isPageOf,
  UnknownWebsites,
  type WaitingHits,
  type WriteDeadline,
} from '@hitherto/domain/hits';
import {
  addFastRoute,
  clientNetwork,
  createTokenBuckets,
  decodeJsonBodies,
  decodeQueries,
  type FastRoute,
  HttpProblem,
  type Metrics,
} from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type AddressedMeasure,
  browserOf,
  isMeasure,
  readHitBody,
  readMeasureBody,
  readPixelQuery,
} from './read-hit-request.ts';
import { HIT_HEADERS, PIXEL, pixelHeaders, servePreflight } from './responses.ts';
import type { SettingsCache } from './website-settings.ts';

/** The body of a browser's hit. */
export const HIT_BODIES = { types: ['text/plain', 'application/json'], limit: 8_192 } as const;
/** Hits in a burst and hits a second, per client network and website. */
const RATE = { burst: 300, perSecond: 50 } as const;

export interface CollectingDependencies extends CollectDependencies {
  readonly waiting: WaitingHits;
  readonly websites: SettingsCache;
  readonly metrics: Metrics;
  readonly now: () => Date;
  /** The requests per minute of an account; 0 turns off this limit and the limit of hits per client network and website. */
  readonly rateLimitPerMinute: number;
}

/** Collects the hits of requests, within the rate limit. */
export interface Collecting {
  /**
   * Takes hits from the allowance of a client for a website.
   *
   * @param websiteId unless it is unknown
   * @throws HttpProblem `rate_limited`
   */
  limit(websiteId: string | undefined, address: string | undefined, hits?: number): void;
  /**
   * Collects a hit that names its website by the id; resolves to the headers that say if it was dropped, or whether the page shall
   * measure how it is looked at.
   */
  collect(sent: AddressedHit, address: string | undefined): Promise<OutcomeHeaders>;
  /** Collects what a page tells of a pageview. */
  measure(sent: AddressedMeasure, address: string | undefined): Promise<OutcomeHeaders>;
  /**
   * Collects one hit for several websites, all in one transaction, so that the request can be sent again if it fails. Unknown
   * websites are left out, and one with several of the names gets one hit.
   *
   * @throws UnknownWebsites if all are unknown
   */
  collectForEach(
    websites: readonly string[],
    hit: Hit,
    find: FindSettings,
    address: string | undefined,
  ): Promise<DropHeaders>;
}

export function createCollecting(deps: CollectingDependencies): Collecting {
  const { waiting, websites, metrics } = deps;
  const buckets = deps.rateLimitPerMinute > 0 ? createTokenBuckets(RATE.burst, RATE.perSecond) : undefined;

  function limit(websiteId: string | undefined, address: string | undefined, hits = 1): void {
    if (buckets === undefined) return;
    // Unknown websites share a bucket, so that guesses cannot flood the database.
    const bucket = `${clientNetwork(address)} ${websiteId ?? ''}`;
    const allowance = buckets.take(bucket);
    if (hits > 1) buckets.charge(bucket, hits - 1);
    if (allowance.allowed) return;
    throw new HttpProblem('rate_limited', 'This client sends too many hits for this website.', {
      'retry-after': String(allowance.retryAfter),
    });
  }

  /** Passes the settings of a website to `collectIn`. */
  async function collectOne(
    website: string,
    address: string | undefined,
    collectIn: (settings: CountingSettings, until: WriteDeadline) => Promise<OutcomeHeaders>,
  ): Promise<OutcomeHeaders> {
    const { value: known, isCurrent } = websites.recall(website);
    limit(known?.websiteId, address);
    return waiting.admit(1, async (deadline) => {
      const settings = isCurrent ? known : await untilAvailable(() => websites.find(website), deadline);
      if (settings === undefined) throw new UnknownWebsites([0]);
      return collectIn(settings, { deadline, untilCertain: false });
    });
  }

  return {
    limit,

    collect: ({ website, hit }, address) =>
      collectOne(website, address, async (settings, until) => {
        const reason = await collectHit(deps, { website: settings, hit }, until);
        if (reason !== undefined) return noteDropped(reason, metrics);
        metrics.hits.counted(1);
        return settings.engagement && hit.name === undefined ? MEASURED : {};
      }),

    measure: ({ website, measure }, address) =>
      collectOne(website, address, async (settings, until) => {
        const reason = await collectMeasure(deps, settings, measure, until);
        return reason === undefined ? {} : noteDropped(reason, metrics);
      }),

    async collectForEach(names, hit, find, address) {
      for (const name of names) limit(websites.knownId(name), address);
      const { counted, dropped } = await waiting.admit(names.length, async (deadline) => {
        const found = new Map<string, { readonly name: string; readonly website: CountingSettings }>();
        for (const name of names) {
          const website = await untilAvailable(() => find(name), deadline);
          if (website !== undefined) found.set(website.websiteId, { name, website });
        }
        const all = [...found.values()];
        if (all.length === 0) throw new UnknownWebsites([0]);
        const hits = all.map(({ website }) => ({ website, hit }));
        const outcome = await collectHits(deps, hits, { deadline, untilCertain: false });
        const told = outcome.dropped.filter(({ index }) => {
          const one = all[index];
          return one === undefined || !isUntold(one.name, one.website, hit.url);
        });
        if (outcome.counted === 0 && told.length === 0) throw new UnknownWebsites([0]);
        return { counted: outcome.counted, dropped: told };
      });
      if (hit.measure === undefined) metrics.hits.counted(counted);
      let dropHeaders: DropHeaders = {};
      for (const { reason } of dropped) dropHeaders = noteDropped(reason, metrics);
      return dropHeaders;
    },
  };
}

/** Whether a dropped hit gets the response for an unknown website: else a hit of any page would tell whether a domain is tracked. */
export function isUntold(name: string, settings: CountingSettings, url: Hit['url']): boolean {
  return isDomain(name) && !isPageOf(settings, url);
}

/** Whether a name of a website is one that can be guessed from its address. */
export function isDomain(name: string): boolean {
  return name.includes('.');
}

/** The headers of a response that say why a hit was dropped; none if it counts. */
type DropHeaders = { readonly 'hitherto-dropped'?: DropReason };

/** The same, or the header that lets a page measure how it is looked at. */
type OutcomeHeaders = DropHeaders & { readonly 'hitherto-measure'?: '1' };

const MEASURED: OutcomeHeaders = { 'hitherto-measure': '1' };

/** Counts a dropped hit; returns the headers that say why. */
export function noteDropped(reason: DropReason, metrics: Metrics): DropHeaders {
  metrics.hits.dropped(reason);
  return { 'hitherto-dropped': reason };
}

/** The options of routes that take hits: during an outage `info` or `warn` would log a line per hit, and the database adapter logs the outage itself. */
export function quietly({ log }: FastifyInstance): { readonly logLevel?: 'error' } {
  return log.level === 'fatal' || log.level === 'silent' ? {} : { logLevel: 'error' };
}

interface PixelRequest {
  Querystring: Record<string, unknown>;
}

/**
 * The routes of hits from browsers: `/hits`, its further paths, and the pixel for pages without scripts.
 *
 * @param paths that take hits as `/hits` does
 */
export function browserHitRoutes(
  scope: FastifyInstance,
  { waiting, websites, now }: CollectingDependencies,
  collecting: Collecting,
  paths: readonly string[],
): void {
  const options = quietly(scope);
  const readPixel = (request: FastifyRequest<PixelRequest>) =>
    readPixelQuery(request.query, request.headers.referer, browserOf(request, now()));

  scope.register(async (bodies: FastifyInstance) => {
    decodeJsonBodies(bodies, HIT_BODIES.types, HIT_BODIES.limit);

    const take: FastRoute['take'] = async (body, sender) => {
      const from = browserOf(sender, now());
      if (isMeasure(body)) return collecting.measure(readMeasureBody(body, from), sender.ip);
      return collecting.collect(readHitBody(body, from), sender.ip);
    };
    for (const path of ['/hits', ...paths]) {
      servePreflight(bodies, path, ['POST']);
      addFastRoute(bodies, path, { bodies: HIT_BODIES, headers: HIT_HEADERS, take }, options);
    }
  });

  servePreflight(scope, '/hits.gif', ['GET', 'HEAD']);
  scope.register(async (queries: FastifyInstance) => {
    decodeQueries(queries);

    // A HEAD shows no page, so it counts nothing.
    queries.head<PixelRequest>('/hits.gif', options, async (request, reply) => {
      const { website } = readPixel(request);
      collecting.limit(websites.recall(website).value?.websiteId, request.ip);
      const settings = await waiting.admit(1, (deadline) => untilAvailable(() => websites.find(website), deadline));
      if (settings === undefined) throw new UnknownWebsites([0]);
      return pixelHeaders(reply).send();
    });

    queries.get<PixelRequest>('/hits.gif', { ...options, exposeHeadRoute: false }, async (request, reply) => {
      reply.headers(await collecting.collect(readPixel(request), request.ip));
      return pixelHeaders(reply).send(PIXEL);
    });
  });
}
