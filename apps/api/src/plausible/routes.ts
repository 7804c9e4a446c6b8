import { may, type Viewer } from '@hitherto/domain/access';
import { zoneOf } from '@hitherto/domain/calendar';
import { GOAL } from '@hitherto/domain/definitions';
import { showCurrentVisitors } from '@hitherto/domain/reading';
import { listResources } from '@hitherto/domain/resources';
import { listWebsites, type WebsiteDependencies } from '@hitherto/domain/websites';
import { decodeJsonBodies, prepareProblem } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { viewerOf } from '../requests/authentication.ts';
import type { StatisticsDependencies } from '../statistics/routes.ts';
import { InvalidQuery } from './invalid-query.ts';
import { runQuery, type Site } from './run-query.ts';
import { findSite, type SiteDependencies } from './sites.ts';
import { countOf, parameterText, readAggregate, readBreakdown, readTimeseries, type V1Query } from './version-1.ts';

export interface PlausibleDependencies extends SiteDependencies, StatisticsDependencies {}

type Query = { Querystring: V1Query };

const BODY_LIMIT = 65_536;
const hidden = { schema: { hide: true } } as const;

/** Plausible's Stats API and Sites API, to read (docs/switch/plausible.md); in the authenticated scope. */
export function plausibleApiRoutes(
  app: FastifyInstance,
  deps: PlausibleDependencies & Pick<WebsiteDependencies, 'now'>,
): void {
  app.register(async (scope) => {
    scope.setErrorHandler(sendPlausibleError);
    decodeJsonBodies(scope, ['application/json'], BODY_LIMIT);

    const siteOf = async (request: FastifyRequest, siteId: unknown): Promise<Site> => {
      if (typeof siteId !== 'string' || siteId === '') throw new InvalidQuery('"site_id" must be a string.');
      const site = await findSite(deps, viewerOf(request), siteId);
      if (site === undefined) throw new UnknownSite('The key has no site with this "site_id".');
      return site;
    };

    scope.post<{ Body: Record<string, unknown> }>('/api/v2/query', hidden, async (request) => {
      const site = await siteOf(request, request.body.site_id);
      return (await runQuery(deps, site, request.body)).body;
    });

    scope.get<Query>('/api/v1/stats/realtime/visitors', hidden, async (request) => {
      const { website } = await siteOf(request, request.query.site_id);
      return showCurrentVisitors(deps, website.id);
    });
    for (const [path, read] of [
      ['aggregate', readAggregate],
      ['timeseries', readTimeseries],
      ['breakdown', readBreakdown],
    ] as const) {
      scope.get<Query>(`/api/v1/stats/${path}`, hidden, async (request) =>
        read(deps, await siteOf(request, request.query.site_id), request.query),
      );
    }

    scope.get<Query>('/api/v1/sites', hidden, async (request) => {
      const limit = Math.min(countOf(request.query, 'limit', MAX_SITES), MAX_SITES);
      const after = parameterText(request.query, 'after');
      const position = after === undefined ? undefined : { side: 'after' as const, key: after };
      const filter = { order: 'address_asc' as const };
      const { websites, next } = await listWebsites(deps, viewerOf(request), filter, limit, position);
      const sites = websites.map((website) =>
        siteResource({ website, zone: zoneOf(website, deps.zone) }, viewerOf(request)),
      );
      return { sites, meta: { after: next?.key ?? null, before: null, limit } };
    });
    scope.get<Query>('/api/v1/sites/goals', hidden, async (request) => {
      const { accountId, website } = await siteOf(request, request.query.site_id);
      const goals = await listResources(deps, GOAL, { accountId, websiteId: website.id });
      const resources = goals.map(({ id, name, content: { rule } }) =>
        'event' in rule
          ? {
              id,
              display_name: name,
              goal_type: 'event',
              event_name: rule.event,
              page_path: null,
              custom_props: rule.props,
            }
          : { id, display_name: name, goal_type: 'page', event_name: null, page_path: rule.page, custom_props: {} },
      );
      return { goals: resources, meta: { after: null, before: null, limit: resources.length } };
    });
    scope.get<{ Params: { site_id: string } }>('/api/v1/sites/:site_id', hidden, async (request) =>
      siteResource(await siteOf(request, request.params.site_id), viewerOf(request)),
    );
  });
}

/** The other paths below /api/v1/stats are of websites (api.md). */
const PATHS = /^\/api\/(?:v2\/query|v1\/sites|v1\/stats(?:\/realtime\/|\/aggregate|\/timeseries|\/breakdown|$))/;

/** Whether a request is to a path like those of Plausible's APIs, also one that is not served. */
export function isForPlausible({ url }: FastifyRequest): boolean {
  return PATHS.test(url);
}

/** Sends an error in the form that clients of Plausible's APIs read. */
export function sendPlausibleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof UnknownSite) {
    reply.code(401).header('www-authenticate', 'Bearer realm="hitherto"').send({ error: error.message });
  } else if (error instanceof InvalidQuery) {
    reply.code(400).send({ error: error.message });
  } else {
    const { status, detail } = prepareProblem(error, request, reply);
    reply.code(status === 422 ? 400 : status).send({ error: detail });
  }
}

const MAX_SITES = 100;

/** 401, as with Plausible: a key has access to its sites alone. */
class UnknownSite extends InvalidQuery {}

/** An alias that is a domain of Plausible, perhaps with a path; others are names that other products give. */
const DOMAIN = /^[\w-]+(?:\.[\w-]+)+(?:\/[^:]*)?$/;

function siteResource({ website, zone }: Pick<Site, 'website' | 'zone'>, viewer: Viewer) {
  const names = may(viewer, 'see_settings', website.id) ? website.aliases : [];
  const domain = names.find((alias) => DOMAIN.test(alias));
  return { domain: domain ?? new URL(website.url).host, timezone: zone.name };
}
