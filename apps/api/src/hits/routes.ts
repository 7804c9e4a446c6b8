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
import { BODY_LIMIT, decodeJsonBodies } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accountOf } from '../authentication/authentication.ts';
import { idempotencyKeyOf, shapeFaults } from '../input.ts';
import * as documented from './route-schemas.ts';
import type { CollectHitsBody, HitBody } from './schemas.ts';
import { fromCollectBody, fromExplainBody, toCollectedResource, toExplanationResource, toNormalForm } from './wire.ts';

export type HitDependencies = Omit<ServerHitsDependencies, keyof WebsiteDependencies>;

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
      { schema: documented.collect, config: { mergesFaults: true, waitsForDatabase: true } },
      async (request, reply) => {
        const { length = 0 } = request.body.hits ?? [];
        if (waiting + length > MAX_WAITING_HITS) throw unavailable('Too many hits wait for the database.');
        waiting += length;
        try {
          const { collected, replayed } = await collect(
            deps,
            request,
            performance.now() + MAX_WAIT_MS - reply.elapsedTime,
          );
          if (replayed) reply.header('idempotent-replayed', 'true');
          return await reply.code(202).send({ data: toCollectedResource(collected) });
        } finally {
          waiting -= length;
        }
      },
    );

    writing.post<{ Params: { id: string }; Body: HitBody }>(
      '/api/v1/websites/:id/explain',
      { schema: documented.explain, config: { scope: 'read', mergesFaults: true } },
      async (request) => {
        const hit = fromExplainBody(request.body, shapeFaults(request), deps.now());
        const website = await showWebsite(deps, accountOf(request), request.params.id.toLowerCase());
        return { data: toExplanationResource(explainHit(website, hit, deps.lookups)) };
      },
    );
  });
}

/** Collects the batch of a request; a repeat with an `Idempotency-Key` is recognized before its hits are judged. */
async function collect(
  deps: Parameters<typeof collectServerHits>[0],
  request: FastifyRequest<Collecting>,
  deadline: number,
): Promise<{ readonly collected: CollectedHits; readonly replayed: boolean }> {
  const accountId = accountOf(request);
  const idempotencyKey = idempotencyKeyOf(request);
  const { hits } = request.body;
  const faults = shapeFaults(request);
  const readBatch = () => fromCollectBody(request.body, faults, deps.now());
  if (idempotencyKey === undefined || hits === undefined || faults.length > 0) {
    return { collected: await collectServerHits(deps, accountId, readBatch(), deadline), replayed: false };
  }
  const repeatable = { idempotencyKey, fields: toNormalForm(hits) };
  return collectServerHitsOnce(deps, accountId, readBatch, repeatable, deadline);
}
