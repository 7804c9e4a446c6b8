import type { FastifyInstance } from 'fastify';
import { type Collecting, type CollectingDependencies, HIT_BODIES } from '../hits/collecting.ts';
import { createFindKey, type FindKey, type KeyDependencies } from './claims.ts';
import { type CollectForeign, createCollectForeign } from './collect-foreign.ts';
import { goatcounterRoutes } from './goatcounter-routes.ts';
import { matomoRoutes } from './matomo-routes.ts';
import { plausibleRoutes } from './plausible-routes.ts';
import { umamiRoutes } from './umami-routes.ts';

/** Shared by the routes of other products' trackers. */
export interface ForeignContext extends Pick<CollectingDependencies, 'websites' | 'metrics' | 'now'> {
  readonly collect: CollectForeign;
  /** Collects a hit that has been checked, as `POST /hits` does, for one website or several. */
  readonly collectForEach: Collecting['collectForEach'];
  readonly keyOf: FindKey;
  /** The most bytes of a hit without a key. */
  readonly bodyLimit: number;
}

/** The routes that understand other products: each translates to hits, and responds in its own form. */
export function foreignRoutes(
  scope: FastifyInstance,
  deps: CollectingDependencies & KeyDependencies,
  collecting: Collecting,
): void {
  const keyOf = createFindKey(scope, deps);
  const collect = createCollectForeign(deps, collecting, keyOf);
  const { websites, metrics, now } = deps;
  const context = {
    websites,
    metrics,
    now,
    collect,
    collectForEach: collecting.collectForEach,
    keyOf,
    bodyLimit: HIT_BODIES.limit,
  };
  for (const routes of [plausibleRoutes, umamiRoutes, matomoRoutes, goatcounterRoutes]) {
    scope.register(async (own: FastifyInstance) => routes(own, context));
  }
}
