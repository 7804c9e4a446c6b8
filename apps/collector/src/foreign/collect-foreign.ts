import { untilAvailable } from '@hitherto/domain/base';
import {
  type AddressedHit,
  type CountingSettings,
  collectHits,
  type DropReason,
  type FindSettings,
  type HitInput,
} from '@hitherto/domain/hits';
import { reaches } from '@hitherto/domain/websites';
import { createAccountLimit, HttpProblem } from '@hitherto/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Collecting, type CollectingDependencies, isUntold, noteDropped } from '../hits/collecting.ts';
import { type Claims, type FindKey, readClaimed, readUnclaimed } from './claims.ts';

/** A hit of another product, translated; it is checked once its website is known. */
export interface ForeignHit {
  /** As it was sent. */
  readonly website: string;
  /** Absolute, or a path below the host; by default the website's address. */
  readonly url?: string | undefined;
  /** Of a path, or of the front page without one; by default the website's. */
  readonly host?: string | undefined;
  readonly event: Omit<HitInput, 'url'>;
  readonly claims: Claims;
}

/** The outcome of a hit; `fault` says why it is invalid. */
export type Outcome =
  | { readonly outcome: 'counted' }
  | { readonly outcome: 'dropped'; readonly reason: DropReason }
  | { readonly outcome: 'unknown_website' }
  | { readonly outcome: 'invalid'; readonly fault: string };

/** Collects the hits of a request independently: an invalid hit, or one of an unknown website, does not hold up the rest. */
export type CollectForeign = (
  hits: readonly ForeignHit[],
  find: FindSettings,
  request: FastifyRequest,
  reply: FastifyReply,
  /** A key in the body. */
  key?: string,
) => Promise<{ readonly outcomes: readonly Outcome[]; readonly hasKey: boolean }>;

export function createCollectForeign(
  deps: CollectingDependencies,
  { limit }: Collecting,
  keyOf: FindKey,
): CollectForeign {
  const { waiting, metrics, now, websites } = deps;
  const accounts = deps.rateLimitPerMinute > 0 ? createAccountLimit(deps.rateLimitPerMinute) : undefined;

  /** A key has the allowance of its account, as in the API; without a key each hit counts, as for browsers. */
  function limitHits(hits: readonly ForeignHit[], accountId: string | undefined, address: string | undefined): void {
    if (accountId === undefined) {
      for (const [website, count] of countsOf(hits)) limit(websites.knownId(website), address, count);
      return;
    }
    const allowance = accounts?.take(accountId);
    if (allowance?.allowed !== false) return;
    throw new HttpProblem('rate_limited', 'The account has used up its allowance.', {
      'retry-after': String(allowance.retryAfter),
    });
  }

  return async (hits, find, request, reply, key) => {
    const start = performance.now();
    const viewer = await keyOf(request, key);
    const accountId = viewer?.accountId;
    const waitedMs = performance.now() - start;
    limitHits(hits, accountId, request.ip);
    const ownSettings: FindSettings = async (website) => {
      const settings = await find(website);
      if (viewer === undefined || settings === undefined) return settings;
      const isOwn = websites.accountOf(settings) === viewer.accountId && reaches(viewer, settings.websiteId);
      return isOwn ? settings : undefined;
    };
    const collect = async (deadline: number) => {
      const found = new Map<string, CountingSettings | undefined>();
      const outcomes: Outcome[] = [];
      const sent: AddressedHit<CountingSettings>[] = [];
      const places: number[] = [];
      for (const [index, hit] of hits.entries()) {
        const { website, event, claims } = hit;
        if (!found.has(website)) found.set(website, await untilAvailable(() => ownSettings(website), deadline));
        const settings = found.get(website);
        if (settings === undefined) {
          outcomes.push({ outcome: 'unknown_website' });
          continue;
        }
        const input = { ...event, url: addressOf(hit, settings) };
        const read =
          accountId === undefined ? readUnclaimed(input, request, now()) : readClaimed(input, claims, request, now());
        if ('fault' in read) {
          outcomes.push({ outcome: 'invalid', fault: read.fault });
          continue;
        }
        outcomes.push({ outcome: 'counted' });
        places.push(index);
        sent.push({ website: settings, hit: read.hit });
      }
      // Given up, a batch with a key could be stored, and count twice if it is sent again.
      const patience = { deadline, untilCertain: accountId !== undefined };
      const { counted, dropped } = await collectHits(deps, sent, patience);
      metrics.hits.counted(counted);
      for (const { index, reason } of dropped) {
        const one = sent[index];
        const place = places[index] ?? 0;
        const name = hits[place]?.website ?? '';
        const isHidden = accountId === undefined && one !== undefined && isUntold(name, one.website, one.hit.url);
        outcomes[place] = isHidden ? { outcome: 'unknown_website' } : { outcome: 'dropped', reason };
        if (!isHidden) reply.headers(noteDropped(reason, metrics));
      }
      return { outcomes, hasKey: accountId !== undefined };
    };
    return waiting.admit(hits.length, collect, waitedMs);
  };
}

function countsOf(hits: readonly ForeignHit[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { website } of hits) counts.set(website, (counts.get(website) ?? 0) + 1);
  return counts;
}

/** The absolute address of the page. A value that cannot be resolved is unchanged, and rejected as a url. */
function addressOf({ url, host }: ForeignHit, settings: CountingSettings): string {
  if (url === undefined && host === undefined) return settings.url;
  const base = `https://${host ?? settings.host}`;
  try {
    // As a relative reference, a path that begins with two slashes would name another host.
    return url?.startsWith('/') ? new URL(base + url).href : new URL(url ?? '/', base).href;
  } catch {
    return url ?? '';
  }
}
