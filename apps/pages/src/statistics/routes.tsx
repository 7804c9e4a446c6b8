import type { Annotation } from '@hitherto/domain/annotations';
import { dayOf, defaultInterval } from '@hitherto/domain/calendar';
import { countedGoal, type DefinitionRepositories, type Definitions } from '@hitherto/domain/definitions';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import { showConvertedSeries, showConvertedValues, showFunnel, showGoals } from '@hitherto/domain/reading';
import { withoutFewMeasured } from '@hitherto/domain/visits';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { funnelCsv, goalsCsv, MAX_CSV_ROWS, seriesCsv, valuesCsv } from '@hitherto/wire';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { localeFor } from '../shared/locale.tsx';
import { allowCaching, allowFrames, forbidCaching, sendFragment } from '../shared/page.tsx';
import { changePath, goalsCsvPath, listPath, livePath, seriesCsvPath, suggestionsPath } from '../shared/paths.ts';
import { originOf, queryParameters } from '../shared/request.ts';
import { sendBranded } from '../shared/send-branded.tsx';
import { pageNotFound } from '../shared/send-error.tsx';
import { ChangePage } from './change-page.tsx';
import { type ChangeViewDependencies, readChangeView } from './change-view.ts';
import { knownSelection, queryOf, ratedGoal } from './definitions.ts';
import { Suggestions } from './filter-bar.tsx';
import {
  type AddFilterForm,
  EMPTY_FORM,
  type FilterBarView,
  makeFilterBar,
  readAddFilter,
  readSubject,
  suggestionsFor,
} from './filter-bar-view.ts';
import type { Entry, FoundPage, PageAccess, StatisticsRequest } from './find-page.ts';
import { ListPage } from './list-page.tsx';
import { type ListSubject, listOf, readListView } from './list-view.ts';
import { LivePage } from './live-page.tsx';
import { readLiveView } from './live-view.ts';
import { type PageRead, readStatisticsView, type StatisticsViewDependencies } from './read-view.ts';
import {
  eventOf,
  hrefOf,
  isDimension,
  readRejectedDays,
  readSelection,
  type Selection,
  withoutFilters,
} from './selection.ts';
import { sendCsv } from './send-csv.ts';
import { isWithoutVisits, StatisticsPage } from './statistics-page.tsx';
import { sendUnlockForm } from './unlock-page.tsx';

export interface StatisticsRoutesDependencies extends PageAccess, ChangeViewDependencies {
  readonly definitions: DefinitionRepositories;
  /** Of the tracker, if it has a path of its own. */
  readonly scriptPath?: string | undefined;
}

/** A page that the viewer may see, with everything that its address asks for. */
interface Visible extends FoundPage, PageRead {
  readonly ports: StatisticsViewDependencies;
  /** All visits of the period that the viewer may see. */
  readonly unfiltered: StatisticsQuery;
}

type Handler = (
  visible: Visible,
  parameters: URLSearchParams,
  request: StatisticsRequest,
  reply: FastifyReply,
) => Promise<unknown>;

/**
 * All routes that show the numbers of one website without a key, under its id or a shared link (pages.md;
 * sharing.md, "Shared links").
 */
export function statisticsRoutes(scope: FastifyInstance, deps: StatisticsRoutesDependencies, entry: Entry): void {
  /** Serves viewers who may see the page, and asks others for its password. */
  const visible = (handle: Handler) => async (request: StatisticsRequest, reply: FastifyReply) => {
    const found = await entry.find(deps, request);
    const { website, zone, accountId, isShared } = found;
    const parameters = queryParameters(request);
    const today = dayOf(zone, deps.now());
    const sent = readSelection(parameters, today);
    allowFrames(reply, website.embedOrigins);
    if (found.view === 'form') return sendUnlockForm(deps, request, reply, found, sent);
    if (website.privacy === 'public' && !isShared) allowCaching(reply);
    const all = await deps.definitions.all({ accountId, websiteId: website.id });
    const { within, definitions } = visibleDefinitions(all, found.segmentId);
    // A frame has no way to the owner's pages, which cannot be framed.
    const isMember = found.viewer === 'member' && !sent.isEmbedded;
    const hasSettings = isMember && found.hasSettings;
    const selection = { ...knownSelection(sent, definitions), ...(hasSettings ? {} : { hidden: undefined }) };
    const query = queryOf(website, selection, definitions, within);
    const unfiltered = queryOf(website, withoutFilters(selection), definitions, within);
    const ports = { ...deps, zone };
    const read = { within, definitions, selection, query, isMember, hasSettings, today, locale: localeFor(request) };
    return handle({ ...found, ...read, ports, unfiltered }, parameters, request, reply);
  };

  /** The filters above a page, or the page that the form which adds one leads to. */
  const filterBar = async (
    { website, path, selection, definitions, unfiltered, hasSettings, ports, locale }: Visible,
    parameters: URLSearchParams,
    pathOf: (selection: Selection) => string,
  ): Promise<FilterBarView | { readonly location: string }> => {
    const added = readAddFilter(locale, parameters, selection, definitions);
    if (added !== undefined && !('fault' in added)) return { location: hrefOf(pathOf(added), added) };
    const fields: AddFilterForm = added ?? EMPTY_FORM;
    const suggestions =
      added === undefined ? [] : await suggestionsFor(locale, ports, unfiltered, fields.subject, definitions);
    const suggestionsHref = hrefOf(suggestionsPath(path), selection);
    const form = { fields, isOpen: added !== undefined, suggestions, suggestionsHref };
    return makeFilterBar({ locale, websiteId: website.id, selection, definitions, hasSettings, pathOf, form });
  };

  scope.get(
    entry.pattern,
    visible(async (page, parameters, request, reply) => {
      const filters = await filterBar(page, parameters, () => page.path);
      if ('location' in filters) return reply.redirect(filters.location, 303);
      const key = { accountId: page.accountId, websiteId: page.website.id };
      const annotations = await visibleAnnotations(deps, key, page);
      const [view, others] = await Promise.all([
        readStatisticsView(page.ports, { ...page, annotations }),
        page.others(),
      ]);
      const waits = page.hasSettings && isWithoutVisits(view);
      if (waits) forbidCaching(reply);
      return sendBranded(
        deps,
        page.accountId,
        reply,
        <StatisticsPage
          view={view}
          who={page.who}
          others={others}
          filters={filters}
          rejectedDays={readRejectedDays(page.locale, parameters, page.today)}
          snippet={waits ? { origin: originOf(request), scriptPath: deps.scriptPath ?? '/script.js' } : undefined}
        />,
      );
    }),
  );

  scope.get(
    changePath(entry.pattern),
    visible(async (page, parameters, _request, reply) => {
      const filters = await filterBar(page, parameters, () => changePath(page.path));
      if ('location' in filters) return reply.redirect(filters.location, 303);
      const view = await readChangeView({ ...deps, ...page.ports }, page);
      const rejectedDays = readRejectedDays(page.locale, parameters, page.today);
      const frame = { who: page.who, others: await page.others(), filters, rejectedDays };
      return sendBranded(deps, page.accountId, reply, <ChangePage view={view} {...frame} />);
    }),
  );

  scope.get(
    livePath(entry.pattern),
    visible(async (page, _parameters, _request, reply) => {
      // Nobody counts the current visitors of a segment.
      if (page.within !== undefined) throw pageNotFound();
      forbidCaching(reply);
      const [view, others] = await Promise.all([readLiveView(deps, page, page.zone), page.others()]);
      const shown = <LivePage view={view} who={page.who} others={others} />;
      return sendBranded(deps, page.accountId, reply, shown);
    }),
  );

  scope.get(
    suggestionsPath(entry.pattern),
    visible(async ({ ports, unfiltered, definitions, locale }, parameters, _request, reply) => {
      const subject = readSubject(parameters) ?? EMPTY_FORM.subject;
      return sendFragment(
        reply,
        <Suggestions suggestions={await suggestionsFor(locale, ports, unfiltered, subject, definitions)} />,
      );
    }),
  );

  scope.get(
    seriesCsvPath(entry.pattern),
    visible(async ({ website, zone, ports, selection, definitions, query }, _parameters, _request, reply) => {
      const interval = defaultInterval(selection);
      const goal = ratedGoal(selection, definitions);
      const { points, converted } = await ports.statistics.reading(query, (statistics) =>
        showConvertedSeries({ statistics, zone }, query, goal, interval),
      );
      return sendCsv(reply, website, query, 'series', seriesCsv(zone, points, converted));
    }),
  );

  scope.get(
    goalsCsvPath(entry.pattern),
    visible(async ({ website, ports, query, definitions: { goals } }, _parameters, _request, reply) => {
      const shown = await ports.statistics.reading(query, (statistics) =>
        showGoals({ statistics }, query, goals.map(countedGoal)),
      );
      return sendCsv(reply, website, query, 'goals', goalsCsv(goals, shown));
    }),
  );

  // One route for each with and without the suffix: a router parameter would take it as part of the name.
  scope.get(
    `${entry.pattern}/funnels/:file`,
    visible(async ({ website, ports, query, definitions }, _parameters, request, reply) => {
      const funnel = definitions.funnels.find(({ id }) => `${id}.csv` === request.params.file?.toLowerCase());
      if (funnel === undefined) throw pageNotFound();
      const steps = await showFunnel(ports, query, funnel.content);
      return sendCsv(reply, website, query, 'funnel', funnelCsv(steps));
    }),
  );

  scope.get(
    `${entry.pattern}/by/:list`,
    visible(async (page, parameters, request, reply) => {
      const { path, ports, selection, definitions, query } = page;
      const [, dimension = '', suffix] = /^([a-z_]+)(\.csv)?$/.exec(request.params.list ?? '') ?? [];
      const subject = subjectOf(dimension, selection);
      if (subject === undefined) throw pageNotFound();
      if (suffix === undefined) {
        // Without its event there is no list of a property.
        const pathOf = (other: Selection) =>
          subject.dimension === 'property' && other.property === undefined ? path : listPath(path, subject.dimension);
        const filters = await filterBar(page, parameters, pathOf);
        if ('location' in filters) return reply.redirect(filters.location, 303);
        const view = await readListView(ports, page, subject, parameters);
        const rejectedDays = readRejectedDays(page.locale, parameters, page.today);
        const frame = { who: page.who, others: await page.others(), filters, rejectedDays };
        return sendBranded(deps, page.accountId, reply, <ListPage view={view} {...frame} />);
      }
      const goal = ratedGoal(selection, definitions);
      const { page: values, converted } = await ports.statistics.reading(query, (statistics) =>
        showConvertedValues({ statistics }, query, goal, listOf(subject), MAX_CSV_ROWS),
      );
      const rows = page.isMember ? values.rows : values.rows.map(withoutFewMeasured);
      return sendCsv(reply, page.website, query, dimension, valuesCsv(subject.dimension, rows, converted));
    }),
  );
}

/**
 * The definitions that a viewer can choose, and the segment whose visits alone the viewer may see. With one, no other segment
 * can be chosen, and none is named.
 */
function visibleDefinitions(all: Definitions, segmentId: string | null) {
  if (segmentId === null) return { within: undefined, definitions: all };
  const within = all.segments.find(({ id }) => id === segmentId);
  // Without its segment, a link would show all visits.
  if (within === undefined) throw pageNotFound();
  return { within, definitions: { ...all, segments: [] } };
}

/** The annotations of the period that the viewer may see: only members see private ones. */
async function visibleAnnotations(
  { annotations }: Pick<StatisticsRoutesDependencies, 'annotations'>,
  website: WebsiteKey,
  { selection, isMember }: Pick<Visible, 'selection' | 'isMember'>,
): Promise<Annotation[]> {
  const all = (await annotations.list(website, selection)) ?? [];
  return all.filter(({ isPublic }) => isPublic || isMember);
}

/** The list with this name; the list of a property needs an event and a property. */
function subjectOf(name: string, selection: Selection): ListSubject | undefined {
  if (isDimension(name)) return { dimension: name };
  const event = eventOf(selection);
  const { property } = selection;
  if (name !== 'property' || property === undefined || event === undefined) return undefined;
  return { dimension: 'property', event, property };
}
