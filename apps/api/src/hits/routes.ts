import {
  collectServerHits,
  collectServerHitsOnce,
  explainHit,
  type ServerHitsDependencies,
  showWebsite,
  type WebsiteDependencies,
} from '@hitherto/domain';
import { BODY_LIMIT, decodeJsonBodies } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { accountOf } from '../authentication/authentication.ts';
import { idempotencyKeyOf } from '../idempotency-key.ts';
import { shapeFaults } from '../shape-faults.ts';
import * as documented from './route-schemas.ts';
import type { CollectHitsBody, HitBody } from './schemas.ts';
import { fromCollectBody, fromExplainBody, toCollectedResource, toExplanationResource, toNormalForm } from './wire.ts';

export type HitDependencies = Omit<ServerHitsDependencies, keyof WebsiteDependencies>;

/** Hits from servers, and explain (statistics.md, sections 2 and 3), in the authenticated scope. */
export function hitRoutes(
  app: FastifyInstance,
  deps: HitDependencies & Pick<WebsiteDependencies, 'websites' | 'now' | 'newId'>,
): void {
  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);

    writing.post<{ Body: Static<typeof CollectHitsBody> }>(
      '/api/v1/hits',
      { schema: documented.collect, config: { mergesFaults: true } },
      async (request, reply) => {
        const idempotencyKey = idempotencyKeyOf(request);
        const batch = fromCollectBody(request.body, shapeFaults(request), deps.now());
        reply.code(202);
        if (idempotencyKey === undefined) {
          return { data: toCollectedResource(await collectServerHits(deps, accountOf(request), batch)) };
        }
        const repeatable = { idempotencyKey, fields: toNormalForm(request.body) };
        const { collected, replayed } = await collectServerHitsOnce(deps, accountOf(request), batch, repeatable);
        if (replayed) reply.header('idempotent-replayed', 'true');
        return { data: toCollectedResource(collected) };
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
