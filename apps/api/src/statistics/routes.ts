import { formatWithOffset, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { CleanupRepository } from '@hitherto/domain/cleanups';
import { countedGoal, type DefinitionRepositories, FUNNEL, GOAL } from '@hitherto/domain/definitions';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import type { CrawlerRepository, DroppedHitsRepository } from '@hitherto/domain/hits';
import type { ImportRepository } from '@hitherto/domain/imports';
import {
  type Compared,
  periodOf,
  showCompared,
  showConvertedSeries,
  showConvertedTotals,
  showCurrentVisitors,
  showFunnel,
  showGoals,
} from '@hitherto/domain/reading';
import { listResources, showResource } from '@hitherto/domain/resources';
import { type WebsiteDependencies, type WebsiteKey, websiteIn, websiteNotFound } from '@hitherto/domain/websites';
import { CSV_TYPE, funnelCsv, goalsCsv, seriesCsv } from '@hitherto/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { viewerOf } from '../requests/authentication.ts';
import { shapeFaults, websiteIdOf } from '../requests/input.ts';
import { acceptsCsv } from './accepts-csv.ts';
import { showCleaned } from './cleaned.ts';
import { crawlerRoutes } from './crawler-routes.ts';
import {
  FUNNEL_QUERY,
  GOALS_QUERY,
  type ReadParameters,
  type ReadQuery,
  SERIES_QUERY,
  TOTALS_QUERY,
} from './query-schemas.ts';
import {
  type Asked,
  readAsked,
  readAskedPeriod,
  readComparison,
  readInterval,
  rejectFaults,
  resolveAsked,
} from './read-query.ts';
import { metaOf, toGoals, toNumbers, toPeriods, toPoint, toStep } from './resources.ts';
import * as documented from './route-schemas.ts';
import { csvFaults } from './value-list.ts';
import { valueRoutes } from './value-routes.ts';
import { readImported } from './without-days.ts';

export interface StatisticsDependencies {
  readonly statistics: StatisticsRepository;
  readonly droppedHits: DroppedHitsRepository;
  readonly crawlers: CrawlerRepository;
  readonly definitions: DefinitionRepositories;
  readonly imports: ImportRepository;
  readonly cleanups: CleanupRepository;
  /** The installation's. */
  readonly zone: TimeZone;
}

/** Ten filters of twenty values, and the other parameters. */
const MAX_QUERY_PAIRS = 256;

export interface Route {
  Params: { readonly id: string; readonly dimension?: string; readonly funnel_id?: string };
  Querystring: ReadQuery;
}
export type Request = FastifyRequest<Route>;

/** Reads of a website of the account. */
export interface Reads {
  /**
   * `read` rejects invalid requests; the function that it returns runs only for a website of the account.
   *
   * @param read gets the website's time zone
   */
  get(
    path: string,
    schema: FastifySchema,
    read: (request: Request, zone: TimeZone, reply: FastifyReply) => (website: WebsiteKey) => Promise<object | string>,
  ): void;
  /** The query of a request. */
  asked(request: Request, zone: TimeZone, parameters: ReadParameters): Asked;
}

/** The reads below the statistics of a website. */
export function websiteReads(
  app: FastifyInstance,
  deps: Pick<StatisticsDependencies, 'zone'> & Pick<WebsiteDependencies, 'websites' | 'now'>,
): Reads {
  const asked: Reads['asked'] = (request, zone, { own }) =>
    readAsked(request.query, shapeFaults(request), zone, deps.now(), own);

  const get: Reads['get'] = (path, schema, read) => {
    const url = `/api/v1/websites/:id/statistics${path}`;
    const config = { mergesFaults: true, maxQueryPairs: MAX_QUERY_PAIRS } as const;
    app.get<Route>(url, { schema, config }, async (request, reply) => {
      const viewer = viewerOf(request);
      // Found before the query is read, because the default period ends today in its zone.
      const website = await deps.websites.find(viewer, websiteIdOf(request.params));
      const show = read(request, website === undefined ? deps.zone : zoneOf(website, deps.zone), reply);
      if (website === undefined) throw websiteNotFound();
      return show(websiteIn(viewer, website.id));
    });
  };
  return { get, asked };
}

/** The reads of api.md, "Statistics". They stand in the authenticated scope. */
export function statisticsRoutes(
  app: FastifyInstance,
  deps: StatisticsDependencies & Pick<WebsiteDependencies, 'websites' | 'now'>,
): void {
  const { statistics, droppedHits } = deps;
  const { get, asked } = websiteReads(app, deps);

  get('', documented.totals, (request, zone) => {
    const wanted = asked(request, zone, TOTALS_QUERY);
    const comparison = readComparison(wanted);
    return async (website) => {
      const { query, conversion } = await resolveAsked(deps, website, wanted);
      const { shown, compared, cleaned } = await statistics.reading(
        periodOf(query, comparison),
        async (statistics) => ({
          ...(await showCompared({ ...deps, statistics, zone }, query, comparison, async (ofPeriod) => {
            const { totals, converted } = await showConvertedTotals({ statistics }, ofPeriod, conversion);
            return toNumbers(totals, converted);
          })),
          cleaned: await showCleaned({ ...deps, statistics }, website, query),
        }),
      );
      const { imported, without } = await readImported(deps, query, 'total');
      const origins = { without_days: toPeriods(without), imported: toPeriods(imported) };
      return {
        data: shown,
        ...toComparison(zone, compared),
        meta: { ...metaOf(wanted), ...origins, ...cleaned },
      };
    };
  });

  get('/series', documented.series, (request, zone, reply) => {
    const wanted = asked(request, zone, SERIES_QUERY);
    const interval = readInterval(wanted);
    return async (website) => {
      const { query, conversion } = await resolveAsked(deps, website, wanted);
      const { points, converted, cleaned } = await statistics.reading(query, async (statistics) => ({
        ...(await showConvertedSeries({ statistics, zone }, query, conversion, interval)),
        cleaned: await showCleaned({ ...deps, statistics }, website, query),
      }));
      reply.header('vary', 'accept');
      if (acceptsCsv(request)) return reply.type(CSV_TYPE).send(seriesCsv(zone, points, converted));
      const data = points.map((point, index) => toPoint(zone, point, converted?.[index]));
      const { without } = await readImported(deps, query, interval === 'hour' ? 'hour' : 'total');
      const meta = { ...metaOf(wanted), without_days: toPeriods(without), interval, ...cleaned };
      return { data, meta };
    };
  });

  get('/goals', documented.goals, (request, zone, reply) => {
    const wanted = asked(request, zone, GOALS_QUERY);
    const isCsv = acceptsCsv(request);
    const { compare } = wanted.query;
    rejectFaults([...wanted.faults, ...(isCsv ? csvFaults(wanted, GOALS_QUERY) : [])]);
    return async (website) => {
      const [{ query }, goals] = await Promise.all([
        resolveAsked(deps, website, wanted),
        listResources(deps, GOAL, website),
      ]);
      const { shown, compared } = await statistics.reading(periodOf(query, compare), (statistics) =>
        showCompared({ ...deps, statistics, zone }, query, compare, (ofPeriod) =>
          showGoals({ statistics }, ofPeriod, goals.map(countedGoal)),
        ),
      );
      reply.header('vary', 'accept');
      if (isCsv) return reply.type(CSV_TYPE).send(goalsCsv(goals, shown));
      const comparison = compared && { ...compared, shown: toGoals(goals, compared.shown) };
      const { without } = await readImported(deps, query, 'hits');
      const cleaned = await showCleaned(deps, website, query);
      const meta = { ...metaOf(wanted), without_days: toPeriods(without), ...cleaned };
      return { data: toGoals(goals, shown), ...toComparison(zone, comparison), meta };
    };
  });

  get('/funnels/:funnel_id', documented.funnel, (request, zone, reply) => {
    const wanted = asked(request, zone, FUNNEL_QUERY);
    rejectFaults(wanted.faults);
    return async (website) => {
      const id = request.params.funnel_id?.toLowerCase() ?? '';
      const { content } = await showResource(deps, FUNNEL, website, id);
      const { query } = await resolveAsked(deps, website, wanted);
      const steps = await showFunnel(deps, query, content);
      reply.header('vary', 'accept');
      if (acceptsCsv(request)) return reply.type(CSV_TYPE).send(funnelCsv(steps));
      const { without } = await readImported(deps, query, 'hits');
      const cleaned = await showCleaned(deps, website, query);
      const meta = { ...metaOf(wanted), without_days: toPeriods(without), ...cleaned };
      return { data: steps.map(toStep), meta };
    };
  });

  valueRoutes({ get, asked }, deps);
  crawlerRoutes({ get }, deps);

  get('/current', documented.current, (request) => {
    rejectFaults(shapeFaults(request));
    return async ({ websiteId }) => ({ data: { visitors: await showCurrentVisitors(deps, websiteId) } });
  });

  get('/dropped', documented.dropped, (request, zone) => {
    const wanted = readAskedPeriod(request.query, shapeFaults(request), zone, deps.now());
    rejectFaults(wanted.faults);
    const { from, to } = wanted.period;
    return async ({ websiteId }) => ({
      data: await droppedHits.byReason(websiteId, from, to),
      meta: metaOf(wanted),
    });
  });
}

/** The field with the numbers of the other days, if they were asked for. */
function toComparison<Data>(zone: TimeZone, compared: Compared<Data>['compared']) {
  if (compared === undefined) return {};
  const { days, shown } = compared;
  const until = days.until === undefined ? null : formatWithOffset(zone, days.until);
  return { comparison: { from: days.from, to: days.to, until, data: shown } };
}
