import {
  countedGoal,
  type DefinitionRepository,
  dayOf,
  defaultInterval,
  type StatisticsQuery,
  showFunnel,
  showGoals,
  showPointConversions,
  showSeries,
} from '@hitherto/domain';
import { CSV_TYPE, funnelCsv, goalsCsv, MAX_CSV_ROWS, seriesCsv, valuesCsv } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowCaching, sendFragment, sendPage } from '../shared/page.tsx';
import { listPath, statisticsPath, suggestionsPath } from '../shared/paths.ts';
import { originOf, queryParameters } from '../shared/request.ts';
import { pageNotFound } from '../shared/send-error.tsx';
import { type AddFilterForm, EMPTY_FORM, readAddFilter, readSubject, suggestionsFor } from './add-filter.ts';
import { Suggestions } from './add-filter-form.tsx';
import { knownSelection, queryOf, ratedGoal, readDefinitions } from './definitions.ts';
import { type FilterBarView, makeFilterBar } from './filter-bar-view.ts';
import { type ById, type FoundPage, findPage, type PageAccess } from './find-page.ts';
import { ListPage } from './list-page.tsx';
import { decodePosition, type ListSubject, readConverted, readListView, readValues } from './list-view.ts';
import { type Looked, readStatisticsView, type StatisticsSources } from './read-view.ts';
import { eventOf, hrefOf, isDimension, parametersOf, readSelection, type Selection } from './selection.ts';
import { StatisticsPage } from './statistics-page.tsx';
import { UnlockPage } from './unlock-route.tsx';

export interface StatisticsRoutesDependencies extends PageAccess, StatisticsSources {
  readonly definitions: DefinitionRepository;
  /** Of the tracker, if it has a path of its own. */
  readonly scriptPath?: string | undefined;
}

/** A page that the viewer may see, with everything that its address asks for. */
interface Visible extends FoundPage, Looked {
  readonly sources: StatisticsSources;
  readonly query: StatisticsQuery;
}

type Handler<Route> = (
  visible: Visible,
  parameters: URLSearchParams,
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
      const { website, zone, accountId } = found;
      const parameters = queryParameters(request);
      const today = dayOf(zone, deps.now());
      const sent = readSelection(parameters, today);
      if (found.view === 'form') {
        return sendPage(reply, <UnlockPage websiteId={website.id} parameters={`${parametersOf(sent)}`} />);
      }
      if (website.privacy === 'public') allowCaching(reply);
      const definitions = await readDefinitions(deps, { accountId, websiteId: website.id });
      const selection = knownSelection(sent, definitions);
      const query = queryOf(website, selection, definitions);
      const isOwner = found.viewer === 'owner';
      const sources = { ...deps, zone };
      return handle({ ...found, sources, definitions, selection, query, isOwner, today }, parameters, request, reply);
    };

  /** The filters above a page, or the page that the form which adds one leads to. */
  const filterBar = async (
    { website, selection, definitions, query, isOwner, sources }: Visible,
    parameters: URLSearchParams,
    pathOf: (selection: Selection) => string,
  ): Promise<FilterBarView | { readonly location: string }> => {
    const added = readAddFilter(parameters, selection, definitions);
    if (added !== undefined && !('fault' in added)) return { location: hrefOf(pathOf(added), added) };
    const fields: AddFilterForm = added ?? EMPTY_FORM;
    const suggestions = added === undefined ? [] : await suggestionsFor(sources, query, fields.subject, definitions);
    const suggestionsHref = hrefOf(suggestionsPath(website.id), selection);
    const form = { fields, isOpen: added !== undefined, suggestions, suggestionsHref };
    return makeFilterBar({ websiteId: website.id, selection, definitions, isOwner, pathOf, form });
  };

  scope.get<ById>(
    '/statistics/:id',
    visible(async (page, parameters, request, reply) => {
      const filters = await filterBar(page, parameters, () => statisticsPath(page.website.id));
      if ('location' in filters) return reply.redirect(filters.location, 303);
      const view = await readStatisticsView(page.sources, page);
      return sendPage(
        reply,
        <StatisticsPage
          view={view}
          filters={filters}
          origin={originOf(request)}
          scriptPath={deps.scriptPath ?? '/script.js'}
        />,
      );
    }),
  );

  scope.get<ById>(
    '/statistics/:id/suggestions',
    visible(async ({ sources, query, definitions }, parameters, _request, reply) => {
      const subject = readSubject(parameters) ?? EMPTY_FORM.subject;
      return sendFragment(
        reply,
        <Suggestions suggestions={await suggestionsFor(sources, query, subject, definitions)} />,
      );
    }),
  );

  scope.get<ById>(
    '/statistics/:id/series.csv',
    visible(async ({ zone, sources, selection, definitions, query }, _parameters, _request, reply) => {
      const interval = defaultInterval(selection);
      const goal = ratedGoal(selection, definitions);
      const points = await showSeries(sources, query, interval);
      const converted = goal && (await showPointConversions(sources, query, goal, interval, points));
      return reply.type(CSV_TYPE).send(seriesCsv(zone, points, converted));
    }),
  );

  scope.get<ById>(
    '/statistics/:id/goals.csv',
    visible(async ({ sources, query, definitions: { goals } }, _parameters, _request, reply) => {
      const shown = await showGoals(sources, query, goals.map(countedGoal));
      return reply.type(CSV_TYPE).send(goalsCsv(goals, shown));
    }),
  );

  // One route for each with and without the suffix: a router parameter would take it as part of the name.
  scope.get<{ Params: { id: string; file: string } }>(
    '/statistics/:id/funnels/:file',
    visible<{ file: string }>(async ({ sources, query, definitions }, _parameters, request, reply) => {
      const funnel = definitions.funnels.find(({ id }) => `${id}.csv` === request.params.file.toLowerCase());
      if (funnel === undefined) throw pageNotFound();
      return reply.type(CSV_TYPE).send(funnelCsv(await showFunnel(sources, query, funnel.content.steps)));
    }),
  );

  scope.get<{ Params: { id: string; list: string } }>(
    '/statistics/:id/by/:list',
    visible<{ list: string }>(async (page, parameters, request, reply) => {
      const { website, sources, selection, definitions, query } = page;
      const [, dimension = '', suffix] = /^([a-z_]+)(\.csv)?$/.exec(request.params.list) ?? [];
      const subject = subjectOf(dimension, selection);
      if (subject === undefined) throw pageNotFound();
      if (suffix === undefined) {
        // Without its event there is no list of a property.
        const pathOf = (other: Selection) =>
          subject.dimension === 'property' && other.property === undefined
            ? statisticsPath(website.id)
            : listPath(website.id, subject.dimension);
        const filters = await filterBar(page, parameters, pathOf);
        if ('location' in filters) return reply.redirect(filters.location, 303);
        const view = await readListView(sources, page, subject, decodePosition(parameters.get('cursor')));
        return sendPage(reply, <ListPage view={view} filters={filters} />);
      }
      const goal = ratedGoal(selection, definitions);
      const values = await readValues(sources, query, subject, MAX_CSV_ROWS);
      const converted = goal && (await readConverted(sources, query, goal, subject, values));
      return reply.type(CSV_TYPE).send(valuesCsv(subject.dimension, values.rows, converted));
    }),
  );
}

/** The list with this name; that of a property needs an event and a property. */
function subjectOf(name: string, selection: Selection): ListSubject | undefined {
  if (isDimension(name)) return { dimension: name };
  const event = eventOf(selection);
  const { property } = selection;
  if (name !== 'property' || property === undefined || event === undefined) return undefined;
  return { dimension: 'property', event, property };
}
