import {
  type CollectedHits,
  collectServerHits,
  collectServerHitsOnce,
  explainHit,
  MAX_WAIT_MS,
  MAX_WAITING_HITS,
  type ServerHitsDependencies,
  showWebsite,
  unavailable,
  type WebsiteDependencies,
} from '@hitherto/domain';
import { BODY_LIMIT, decodeJsonBodies, type Metrics } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf } from '../authentication/authentication.ts';
import { idempotencyKeyOf, shapeFaults, websiteIdOf } from '../input.ts';
import * as documented from './route-schemas.ts';
import { type CollectHitsBody, type HitBody, MAX_HITS } from './schemas.ts';
import { fromCollectBody, fromExplainBody, toCollectedResource, toExplanationResource, toNormalForm } from './wire.ts';

export interface HitDependencies extends Omit<ServerHitsDependencies, keyof WebsiteDependencies> {
  readonly metrics: Pick<Metrics, 'hits'>;
}

interface Collecting {
  Body: Partial<Static<typeof CollectHitsBody>>;
}

/** Hits from servers, and explain (statistics.md, sections 2 and 3), in the authenticated scope. */
export function hitRoutes(
  app: FastifyInstance,
  deps: HitDependencies & Pick<WebsiteDependencies, 'websites' | 'now' | 'newId'>,
): void {
  let waiting = 0;

  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);

    writing.post<Collecting>(
      '/api/v1/hits',
      {
        schema: documented.collect,
        config: { mergesFaults: true, waitsForDatabase: true },
        preValidation: shortenBatch,
      },
      async (request, reply) => {
        const batch = batchOf(deps, request);
        if (waiting + batch.length > MAX_WAITING_HITS) throw unavailable('Too many hits wait for the database.');
        waiting += batch.length;
        try {
          // The lookup of the key has waited too; the time that the body took to arrive is no wait for the database.
          const { collected, replayed } = await batch.collect(performance.now() + MAX_WAIT_MS - request.keyLookupMs);
          if (replayed) reply.header('idempotent-replayed', 'true');
          else observeHits(deps.metrics, collected);
          return await reply.code(202).send({ data: toCollectedResource(collected) });
        } finally {
          waiting -= batch.length;
        }
      },
    );

    writing.post<{ Params: { id: string }; Body: HitBody }>(
      '/api/v1/websites/:id/explain',
      { schema: documented.explain, config: { scope: 'read', mergesFaults: true } },
      async (request) => {
        const hit = fromExplainBody(request.body, shapeFaults(request), deps.now());
        const website = await showWebsite(deps, accountOf(request), websiteIdOf(request.params));
        return { data: toExplanationResource(explainHit(website, hit, deps.lookups)) };
      },
    );
  });
}

function observeHits({ hits }: Pick<Metrics, 'hits'>, { counted, dropped }: CollectedHits): void {
  hits.inc({ outcome: 'counted', reason: '' }, counted);
  for (const { reason } of dropped) hits.inc({ outcome: 'dropped', reason });
}

/** Shortens a list of too many hits to one too many: a body has room for so many that their faults take seconds to list. */
function shortenBatch(request: FastifyRequest<Collecting>, _reply: FastifyReply, done: () => void): void {
  const { hits } = request.body;
  if (Array.isArray(hits)) hits.length = Math.min(hits.length, MAX_HITS + 1);
  done();
}

interface Batch {
  readonly length: number;
  readonly collect: (deadline: number) => Promise<{ readonly collected: CollectedHits; readonly replayed: boolean }>;
}

/**
 * The batch of a request. Throws `InvalidRequest` if its hits are invalid. With an `Idempotency-Key` only their shape is
 * checked here, because a repeat is recognized before its hits are judged.
 */
function batchOf(deps: Parameters<typeof collectServerHits>[0], request: FastifyRequest<Collecting>): Batch {
  const accountId = accountOf(request);
  const idempotencyKey = idempotencyKeyOf(request);
  const { hits } = request.body;
  const faults = shapeFaults(request);
  const readBatch = () => fromCollectBody(request.body, faults, deps.now());
  if (idempotencyKey === undefined || hits === undefined || faults.length > 0) {
    const batch = readBatch();
    return {
      length: batch.length,
      collect: async (deadline) => ({
        collected: await collectServerHits(deps, accountId, batch, deadline),
        replayed: false,
      }),
    };
  }
  const repeatable = { idempotencyKey, fields: toNormalForm(hits) };
  return {
    length: hits.length,
    collect: (deadline) => collectServerHitsOnce(deps, accountId, readBatch, repeatable, deadline),
  };
}
