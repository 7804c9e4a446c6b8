import {
  type CollectDependencies,
  type CollectedHits,
  collectHits,
  type FindSettings,
  type WaitingHits,
} from '@hitherto/domain';
import { clientNetwork, createTokenBuckets, HttpProblem, type Metrics } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { browserHit, type HitRequest } from './read-hit-request.ts';
import type { WebsiteSettings } from './website-settings.ts';

/** The most bytes of a browser's hit. */
export const BODY_LIMIT = 8_192;
/** Hits at once and hits a second, per client network and website. */
const RATE = { burst: 300, perSecond: 50 } as const;

export interface CollectingDependencies extends CollectDependencies {
  readonly waiting: WaitingHits;
  readonly websites: WebsiteSettings;
  readonly metrics: Metrics;
  readonly now: () => Date;
  /** The requests per minute of an account; 0 turns off this limit, and that of hits per client network and website. */
  readonly rateLimitPerMinute: number;
}

/** Collects the hits of requests, within the rate limit. */
export interface Collecting {
  /**
   * Takes hits from the allowance of a client for a website.
   *
   * @throws HttpProblem `rate_limited`
   */
  limit(website: string, address: string | undefined, hits?: number): void;
  /** Collects the hit of a request, and says in a header if it was dropped; resolves to the reason. */
  collect(
    hit: HitRequest,
    find: FindSettings,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<CollectedHits['dropped'][number]['reason'] | undefined>;
}

export function createCollecting(deps: CollectingDependencies): Collecting {
  const { waiting, websites, metrics, now } = deps;
  const buckets = deps.rateLimitPerMinute > 0 ? createTokenBuckets(RATE.burst, RATE.perSecond) : undefined;

  function limit(website: string, address: string | undefined, hits = 1): void {
    // Websites that are not known share a bucket, so that guesses cannot flood the database. The spellings of an address
    // share the bucket of its website.
    const bucket = buckets && `${clientNetwork(address)} ${websites.knownId(website) ?? ''}`;
    if (buckets === undefined || bucket === undefined) return;
    const allowance = buckets.take(bucket);
    if (hits > 1) buckets.charge(bucket, hits - 1);
    if (allowance.allowed) return;
    throw new HttpProblem('rate_limited', 'This client sends too many hits for this website.', {
      'retry-after': String(allowance.retryAfter),
    });
  }

  return {
    limit,

    async collect({ website, fields }, find, request, reply) {
      // Fastify computes the address on each access.
      const address: string | undefined = request.ip;
      limit(website, address);
      const hit = browserHit(fields, address, request.raw.headers, now());
      const { dropped } = await waiting.admit(1, (deadline) =>
        collectHits(deps, find, [{ website, hit }], { deadline, untilCertain: false }),
      );
      const reason = dropped[0]?.reason;
      if (reason === undefined) metrics.hits.counted(1);
      else noteDropped(reason, metrics, reply);
      return reason;
    },
  };
}

/** Says why a hit was dropped. */
export function noteDropped(
  reason: CollectedHits['dropped'][number]['reason'],
  metrics: Metrics,
  reply: FastifyReply,
): void {
  reply.header('hitherto-dropped', reason);
  metrics.hits.dropped(reason);
}

/** The options of routes that take hits: during an outage `info` or `warn` would log a line per hit, and the database adapter logs the outage itself. */
export function quietly({ log }: FastifyInstance): { readonly logLevel?: 'error' } {
  return log.level === 'fatal' || log.level === 'silent' ? {} : { logLevel: 'error' };
}
