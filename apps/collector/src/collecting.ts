import {
  type CollectDependencies,
  collectHits,
  type DropReason,
  type FindSettings,
  type WaitingHits,
} from '@hitherto/domain';
import { clientNetwork, createTokenBuckets, HttpProblem, type Metrics, type Sender } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { browserHit, type HitRequest } from './read-hit-request.ts';
import type { WebsiteSettings } from './website-settings.ts';

/** The body of a browser's hit. */
export const HIT_BODIES = { types: ['text/plain', 'application/json'], limit: 8_192 } as const;
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
  /** Collects the hit of a request; resolves to the headers that say if it was dropped. */
  collect(hit: HitRequest, find: FindSettings, sender: Sender): Promise<DropHeaders>;
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

    async collect({ website, fields }, find, { ip, headers }) {
      limit(website, ip);
      const hit = browserHit(fields, ip, headers, now());
      const { dropped } = await waiting.admit(1, (deadline) =>
        collectHits(deps, find, [{ website, hit }], { deadline, untilCertain: false }),
      );
      const reason = dropped[0]?.reason;
      if (reason !== undefined) return noteDropped(reason, metrics);
      metrics.hits.counted(1);
      return {};
    },
  };
}

/** The headers of a response that say why a hit was dropped; none if it counts. */
export type DropHeaders = { readonly 'hitherto-dropped'?: DropReason };

/** Counts a dropped hit; returns the headers that say why. */
export function noteDropped(reason: DropReason, metrics: Metrics): DropHeaders {
  metrics.hits.dropped(reason);
  return { 'hitherto-dropped': reason };
}

/** The options of routes that take hits: during an outage `info` or `warn` would log a line per hit, and the database adapter logs the outage itself. */
export function quietly({ log }: FastifyInstance): { readonly logLevel?: 'error' } {
  return log.level === 'fatal' || log.level === 'silent' ? {} : { logLevel: 'error' };
}
