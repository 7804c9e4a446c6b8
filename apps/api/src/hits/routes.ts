import type { TimeZone } from '@hitherto/domain/calendar';
import { type CleanupRepository, findHiding } from '@hitherto/domain/cleanups';
import {
  type CollectDependencies,
  type CollectedHits,
  collectHits,
  collectHitsOnce,
  compileSettings,
  createWaitingHits,
  explainHit,
  type FindSettings,
  findSettings,
  type HitBatchRepository,
  UnknownWebsites,
} from '@hitherto/domain/hits';
import { type Reach, showWebsite, type WebsiteDependencies } from '@hitherto/domain/websites';
import { BODY_LIMIT, decodeJsonBodies, InvalidRequest, type Metrics } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf, viewerOf } from '../requests/authentication.ts';
import { idempotencyKeyOf, shapeFaults, websiteIdOf } from '../requests/input.ts';
import * as documented from './route-schemas.ts';
import { type CollectHitsBody, type HitBody, MAX_HITS } from './schemas.ts';
import { fromCollectBody, fromExplainBody, toCollectedResource, toExplanationResource, toNormalForm } from './wire.ts';

export interface HitDependencies extends CollectDependencies {
  readonly batches: HitBatchRepository;
  readonly cleanups: CleanupRepository;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly metrics: Pick<Metrics, 'hits'>;
}

interface Collecting {
  Body: Partial<Static<typeof CollectHitsBody>>;
}

type RouteDependencies = HitDependencies & Pick<WebsiteDependencies, 'websites' | 'now'>;

/** Hits from servers, and explain (tracker.md and counting.md), in the authenticated scope. */
export function serverHitRoutes(app: FastifyInstance, deps: RouteDependencies): void {
  const waiting = createWaitingHits();

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
        // The lookup of the key has waited too; the time that the body took to arrive is not a wait for the database.
        const { collected, replayed } = await waiting.admit(batch.length, batch.collect, request.keyLookupMs);
        if (replayed) reply.header('idempotent-replayed', 'true');
        else observeHits(deps.metrics, collected);
        return reply.code(202).send({ data: toCollectedResource(collected) });
      },
    );

    writing.post<{ Params: { id: string }; Body: HitBody }>(
      '/api/v1/websites/:id/explain',
      { schema: documented.explain, config: { action: 'see_settings', mergesFaults: true } },
      async (request) => {
        const hit = fromExplainBody(request.body, shapeFaults(request), deps.now());
        const website = await showWebsite(deps, viewerOf(request), websiteIdOf(request.params));
        const settings = compileSettings(website, deps.zone);
        const explanation = explainHit(settings, hit, deps.lookups);
        const key = { accountId: accountOf(request), websiteId: website.id };
        const hiding = await findHiding(deps, key, explanation, settings, hit.time);
        return { data: toExplanationResource(explanation, hiding) };
      },
    );
  });
}

function observeHits({ hits }: Pick<Metrics, 'hits'>, { counted, dropped }: CollectedHits): void {
  hits.counted(counted);
  for (const { reason } of dropped) hits.dropped(reason);
}

/** Shortens a list of too many hits to one too many: listing the faults of all hits that fit in a body would take seconds. */
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
function batchOf(deps: RouteDependencies, request: FastifyRequest<Collecting>): Batch {
  const accountId = accountOf(request);
  const find = settingsOf(deps, viewerOf(request));
  const idempotencyKey = idempotencyKeyOf(request);
  const { hits } = request.body;
  const faults = shapeFaults(request);
  const readBatch = () => fromCollectBody(request.body, faults, deps.now());
  if (idempotencyKey === undefined || hits === undefined || faults.length > 0) {
    const batch = readBatch();
    return {
      length: batch.length,
      collect: async (deadline) => ({
        // Given up, the write could still be done, and the batch count twice if it is sent again.
        collected: await naming(
          findSettings(find, batch, deadline).then((hits) => collectHits(deps, hits, { deadline, untilCertain: true })),
        ),
        replayed: false,
      }),
    };
  }
  const repeatable = { idempotencyKey, fields: toNormalForm(hits) };
  return {
    length: hits.length,
    collect: (deadline) => naming(collectHitsOnce(deps, find, accountId, readBatch, repeatable, deadline)),
  };
}

/** Finds the settings of the account's own websites. */
function settingsOf({ websites, zone }: RouteDependencies, reach: Reach): FindSettings {
  return async (id) => {
    const website = await websites.find(reach, id.toLowerCase());
    return website && compileSettings(website, zone);
  };
}

/** Names the hits of a batch whose websites are unknown. */
async function naming<T>(collecting: Promise<T>): Promise<T> {
  try {
    return await collecting;
  } catch (error) {
    if (!(error instanceof UnknownWebsites)) throw error;
    const detail = 'The account has no website with this id.';
    throw new InvalidRequest(
      error.positions.map((position) => ({ field: `hits.${position}.website`, code: 'unknown_website', detail })),
    );
  }
}
