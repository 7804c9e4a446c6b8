import { type Day, dayOf, defaultInterval, showSeries } from '@hitherto/domain';
import { CSV_TYPE, MAX_CSV_ROWS, seriesCsv, valuesCsv } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowCaching, sendPage } from '../shared/page.tsx';
import { originOf, queryParameters } from '../shared/request.ts';
import { pageNotFound } from '../shared/send-error.tsx';
import { type ById, type FoundPage, findPage, type PageAccess } from './find-page.ts';
import { ListPage } from './list-page.tsx';
import { decodePosition, type ListSubject, readListView, readValues } from './list-view.ts';
import { queryOf, readStatisticsView, type StatisticsSources } from './read-view.ts';
import { isDimension, parametersOf, readSelection, type Selection } from './selection.ts';
import { StatisticsPage } from './statistics-page.tsx';
import { UnlockPage } from './unlock-route.tsx';

export interface StatisticsRoutesDependencies extends PageAccess, StatisticsSources {}

type Handler<Route> = (
  found: FoundPage & { readonly sources: StatisticsSources; readonly selection: Selection; readonly today: Day },
  query: URLSearchParams,
  request: FastifyRequest<{ Params: Route & { id: string } }>,
  reply: FastifyReply,
) => Promise<unknown>;

/** All routes that show the numbers of one website without a key (statistics.md, section 6). */
export function statisticsRoutes(scope: FastifyInstance, deps: StatisticsRoutesDependencies): void {
  /** Serves viewers who may see the page, and asks others for its password. */
  const visible =
    <Route,>(handle: Handler<Route>) =>
    async (request: FastifyRequest<{ Params: Route & { id: string } }>, reply: FastifyReply) => {
      const found = await findPage(deps, request);
      const query = queryParameters(request);
      const today = dayOf(found.zone, deps.now());
      const selection = readSelection(query, today);
      if (found.view === 'form') {
        const parameters = `${parametersOf(selection)}`;
        return sendPage(reply, <UnlockPage websiteId={found.website.id} parameters={parameters} />);
      }
      if (found.website.privacy === 'public') allowCaching(reply);
      const sources = { ...deps, zone: found.zone };
      return handle({ ...found, sources, selection, today }, query, request, reply);
    };

  scope.get<ById>(
    '/statistics/:id',
    visible(async ({ website, viewer, sources, selection, today }, _query, request, reply) => {
      const view = await readStatisticsView(sources, website, selection, today, viewer === 'owner');
      const origin = originOf(request);
      return sendPage(reply, <StatisticsPage view={view} origin={origin} />);
    }),
  );

  scope.get<ById>(
    '/statistics/:id/series.csv',
    visible(async ({ website, zone, sources, selection }, _query, _request, reply) => {
      const points = await showSeries(sources, queryOf(website, selection), defaultInterval(selection));
      return reply.type(CSV_TYPE).send(seriesCsv(zone, points));
    }),
  );

  // One route for both: a router parameter would take the suffix as part of the name.
  scope.get<{ Params: { id: string; list: string } }>(
    '/statistics/:id/by/:list',
    visible<{ list: string }>(async ({ website, sources, selection, today }, query, request, reply) => {
      const [, dimension = '', suffix] = /^([a-z_]+)(\.csv)?$/.exec(request.params.list) ?? [];
      const subject = subjectOf(dimension, selection);
      if (subject === undefined) throw pageNotFound();
      if (suffix === undefined) {
        const position = decodePosition(query.get('cursor'));
        const view = await readListView(sources, website, selection, today, subject, position);
        return sendPage(reply, <ListPage view={view} />);
      }
      const { rows } = await readValues(sources, queryOf(website, selection), subject, MAX_CSV_ROWS);
      return reply.type(CSV_TYPE).send(valuesCsv(subject.dimension, rows));
    }),
  );
}

/** The list with this name; that of a property needs an event and a property. */
function subjectOf(name: string, { filters, property }: Selection): ListSubject | undefined {
  if (isDimension(name)) return { dimension: name };
  const event = filters.find(({ dimension }) => dimension === 'event')?.value;
  if (name !== 'property' || property === undefined || event === undefined || event === null) return undefined;
  return { dimension: 'property', event, property };
}
