import type { TimeZone } from '@hitherto/domain/calendar';
import { type CollectDependencies, createWaitingHits, OutcomeUnknown, UnknownWebsites } from '@hitherto/domain/hits';
import type { WebsiteDirectory } from '@hitherto/domain/websites';
import {
  compressTexts,
  type Documentation,
  type Face,
  forbidCaching,
  HttpProblem,
  type Lifecycle,
  type Metrics,
  prepareProblem,
  sendDetails,
} from '@hitherto/http';
import type { KeyDependencies } from './foreign/claims.ts';
import { foreignRoutes } from './foreign/foreign-routes.ts';
import { foreignScriptRoutes, readForeignScript } from './foreign/script-routes.ts';
import { browserHitRoutes, createCollecting } from './hits/collecting.ts';
import { DOCUMENTATION } from './hits/documentation.ts';
import { allowOrigins } from './hits/responses.ts';
import { createWebsiteSettings } from './hits/website-settings.ts';
import { readMeasuring, readTracker } from './tracker/read-tracker.ts';
import { scriptRoutes } from './tracker/route.ts';

/** The dependencies and settings of the collector. */
export interface CollectorDependencies extends CollectDependencies, KeyDependencies {
  readonly directory: WebsiteDirectory;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
  /** The requests per minute of an account; 0 turns off this limit and the limit of hits per client network and website. */
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

const UNKNOWN_WEBSITE =
  'There is no such website. Send the id of a website; /api/event also accepts an alias, or an address or host that exactly one website has.';

/** The face that pages send hits to: it receives hits and serves the tracker. */
export function createCollector(given: CollectorDependencies): Collector {
  const closing = new AbortController();
  const waiting = createWaitingHits();
  const deps = { ...given, waiting, websites: createWebsiteSettings({ ...given, signal: closing.signal }) };
  const { metrics, scriptPaths = [], hitPaths = [] } = deps;
  const gauge = (name: string, help: string, read: () => number) => metrics.gauge({ name, help, read });
  gauge('hitherto_hits_waiting', 'Hits that wait to be stored.', waiting.count);
  gauge('hitherto_hits_longest_wait_seconds', 'How long the oldest waiting hit has waited.', waiting.longest);

  return {
    documentation: DOCUMENTATION,

    register(scope) {
      scope.addHook('onClose', async () => closing.abort());
      scope.addHook('onRequest', (_request, reply, done) => {
        allowOrigins(reply);
        done();
      });
      forbidCaching(scope);
      const collecting = createCollecting(deps);
      browserHitRoutes(scope, deps, collecting, hitPaths);
      foreignRoutes(scope, deps, collecting);
      scope.register(async (scripts) => {
        compressTexts(scripts);
        const byQuery = { umami: readForeignScript('umami'), measure: readMeasuring() };
        scriptRoutes(scripts, { own: readTracker(), byQuery }, scriptPaths, hitPaths[0] ?? '/hits');
        foreignScriptRoutes(scripts);
      });
    },

    sendError(error, request, reply) {
      allowOrigins(reply);
      const isUnknown = error instanceof UnknownWebsites;
      const details = prepareProblem(isUnknown ? new HttpProblem('not_found', UNKNOWN_WEBSITE) : error, request, reply);
      // The hit may have been stored; a retry could count it twice.
      if (error instanceof OutcomeUnknown) reply.removeHeader('retry-after');
      metrics.hits.rejected(details.code);
      sendDetails(details, reply);
    },
  };
}
