import { type CollectDependencies, createWaitingHits, type TimeZone, type WebsiteDirectory } from '@hitherto/domain';
import type { Documentation, Face, Lifecycle, Metrics } from '@hitherto/http';
import { DOCUMENTATION } from './documentation.ts';
import { createFace } from './face.ts';
import type { KeyDependencies } from './foreign/claims.ts';
import { readTracker } from './tracker/read-tracker.ts';
import { createWebsiteSettings } from './website-settings.ts';

/** The dependencies and settings of the collector. */
export interface CollectorDependencies extends CollectDependencies, KeyDependencies {
  readonly directory: WebsiteDirectory;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
  /** The requests per minute of an account; 0 turns off this limit, and that of hits per client network and website. */
  readonly rateLimitPerMinute: number;
  /** Further paths of the tracker, and of `/hits`. */
  readonly scriptPaths?: readonly string[] | undefined;
  readonly hitPaths?: readonly string[] | undefined;
}

/** The collector's face, and its documentation. */
export interface Collector extends Face {
  /** Its routes, for the OpenAPI document. */
  readonly documentation: Documentation;
}

/** The face that receives hits and serves the tracker. */
export function createCollector(deps: CollectorDependencies): Collector {
  const closing = new AbortController();
  const websites = createWebsiteSettings({ ...deps, signal: closing.signal });
  const waiting = createWaitingHits();
  const gauge = (name: string, help: string, read: () => number) => deps.metrics.gauge({ name, help, read });
  gauge('hitherto_hits_waiting', 'Hits that wait to be stored.', waiting.count);
  gauge('hitherto_hits_longest_wait_seconds', 'How long the oldest waiting hit has waited.', waiting.longest);
  const face = createFace({ ...deps, waiting, websites, script: readTracker() });

  return {
    ...face,
    documentation: DOCUMENTATION,
    register(scope) {
      scope.addHook('onClose', async () => closing.abort());
      return face.register(scope);
    },
  };
}
