import type { HitLookups, HitRepository, Salts, TimeZone, WebsiteDirectory } from '@hitherto/domain';
import { type Documentation, describeError, type Face, type Lifecycle, type Metrics } from '@hitherto/http';
import type { FastifyBaseLogger } from 'fastify';
import { createCollection } from './collect.ts';
import { DOCUMENTATION } from './documentation.ts';
import { createDroppedCounter } from './dropped-counter.ts';
import { createFace } from './face.ts';
import { createGroupCommit } from './group-commit.ts';
import { createHitMetrics } from './hit-metrics.ts';
import { readTracker } from './tracker/read-tracker.ts';
import { createWebsiteSettings } from './website-settings.ts';

/** The dependencies and settings of the collector. */
export interface CollectorDependencies {
  readonly directory: WebsiteDirectory;
  readonly hits: HitRepository;
  readonly salts: Salts;
  readonly lookups: HitLookups;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly lifecycle: Lifecycle;
  readonly now: () => Date;
  /** A new id of a batch of hits. */
  readonly newId: () => string;
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
  /** Whether hits are limited per client network and website. */
  readonly isLimited: boolean;
}

/** The collector's face, and what documents it. */
export interface Collector extends Face {
  /** Its routes, for the OpenAPI document. */
  readonly documentation: Documentation;
}

/** The face that receives hits and serves the tracker. When the server closes, it stores the waiting hits. */
export function createCollector(deps: CollectorDependencies): Collector {
  const closing = new AbortController();
  const metrics = createHitMetrics(deps.metrics);
  const websites = createWebsiteSettings({
    directory: deps.directory,
    clock: () => performance.now(),
    signal: closing.signal,
  });
  const group = createGroupCommit({ hits: deps.hits, newId: deps.newId, onCommit: metrics.committed });
  const dropped = createDroppedCounter(deps, (error) =>
    deps.logger.warn({ error: describeError(error) }, 'dropped hits not counted yet'),
  );
  const collection = createCollection({ ...deps, group, dropped });
  metrics.watch(collection);
  const face = createFace({ ...deps, collection, websites, metrics, script: readTracker() });

  return {
    ...face,
    documentation: DOCUMENTATION,
    register(scope) {
      scope.addHook('onClose', async () => {
        await group.close();
        await dropped.close();
        closing.abort();
      });
      return face.register(scope);
    },
  };
}
