import {
  DIMENSIONS,
  type Dimension,
  type DroppedHitsRepository,
  dayOf,
  type Period,
  type StatisticsRepository,
  showCurrentVisitors,
  showSeries,
  showStatistics,
  type TimeZone,
  type ValuePage,
  type ValuePosition,
  type WebsiteDependencies,
  websiteNotFound,
  zoneOf,
} from '@hitherto/domain';
import { CSV_TYPE, HttpProblem, MAX_CSV_ROWS, seriesCsv, valuesCsv } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { accountOf } from '../authentication/authentication.ts';
import { shapeFaults, websiteIdOf } from '../input.ts';
import { acceptsCsv } from './accepts-csv.ts';
import type { ReadQuery } from './query-schemas.ts';
import { type Asked, readAsked, readComparison, readInterval, refuseFaults, toStatisticsQuery } from './read-query.ts';
import { toNumbers, toPoint, toValue } from './resources.ts';
import * as documented from './route-schemas.ts';
import { pagingFaults, readValuePage, type ValueList, valueLinksOf } from './value-list.ts';

export interface StatisticsDependencies {
  readonly statistics: StatisticsRepository;
  readonly droppedHits: DroppedHitsRepository;
  /** The installation's. */
  readonly zone: TimeZone;
}

interface Route {
  Params: { readonly id: string; readonly dimension?: string };
  Querystring: ReadQuery;
}
type Request = FastifyRequest<Route>;

const FILTERS_OF_PROPERTIES = DIMENSIONS.filter((dimension) => dimension !== 'event');

/** The reads of statistics.md, section 5. They stand in the authenticated scope. */
export function statisticsRoutes(
  app: FastifyInstance,
  deps: StatisticsDependencies & Pick<WebsiteDependencies, 'websites' | 'now'>,
): void {
  const { statistics, droppedHits } = deps;
  const asked = (request: Request, zone: TimeZone, dimensions: readonly Dimension[] = DIMENSIONS) =>
    readAsked(request.query, shapeFaults(request), dayOf(zone, deps.now()), dimensions);
  const metaOf = (zone: TimeZone, { from, to }: Period) => ({ from, to, time_zone: zone.name });

  /** `read` rejects invalid requests; the function that it returns runs only for a website of the account. */
  function get(
    path: string,
    schema: FastifySchema,
    read: (request: Request, zone: TimeZone, reply: FastifyReply) => (websiteId: string) => Promise<object | string>,
  ): void {
    const url = `/api/v1/websites/:id/statistics${path}`;
    app.get<Route>(url, { schema, config: { mergesFaults: true } }, async (request, reply) => {
      // Found before the query is read, because the default period ends today in its zone.
      const website = await deps.websites.find(accountOf(request), websiteIdOf(request.params));
      const show = read(request, website === undefined ? deps.zone : zoneOf(website, deps.zone), reply);
      if (website === undefined) throw websiteNotFound();
      return show(website.id);
    });
  }

  get('', documented.totals, (request, zone) => {
    const query = asked(request, zone);
    const comparison = readComparison(query);
    return async (id) => {
      const shown = await showStatistics(deps, toStatisticsQuery(id, query), comparison);
      const compared = shown.comparison && {
        from: shown.comparison.period.from,
        to: shown.comparison.period.to,
        data: toNumbers(shown.comparison.totals),
      };
      return {
        data: toNumbers(shown.totals),
        ...(compared === undefined ? {} : { comparison: compared }),
        meta: metaOf(zone, query.period),
      };
    };
  });

  get('/series', documented.series, (request, zone, reply) => {
    const query = asked(request, zone);
    const interval = readInterval(query);
    return async (id) => {
      const points = await showSeries({ statistics, zone }, toStatisticsQuery(id, query), interval);
      reply.header('vary', 'accept');
      if (acceptsCsv(request)) return reply.type(CSV_TYPE).send(seriesCsv(zone, points));
      return { data: points.map((point) => toPoint(zone, point)), meta: { ...metaOf(zone, query.period), interval } };
    };
  });

  get('/by/property', documented.propertyValues, (request, zone, reply) => {
    const { event = '', property = '' } = request.query;
    // Here the event names the list.
    const query = asked(request, zone, FILTERS_OF_PROPERTIES);
    return values(request, zone, reply, query, ['property', event, property], (list, limit, position) =>
      statistics.propertyValues(list.query, event, property, limit, position),
    );
  });

  get('/by/:dimension', documented.values, (request, zone, reply) => {
    const dimension = dimensionOf(request);
    return values(request, zone, reply, asked(request, zone), [dimension], (list, limit, position) =>
      statistics.values(list.query, dimension, limit, position),
    );
  });

  get('/current', documented.current, (request) => {
    refuseFaults(shapeFaults(request));
    return async (id) => ({ data: { visitors: await showCurrentVisitors(deps, id) } });
  });

  get('/dropped', documented.dropped, (request, zone) => {
    const { period, faults } = asked(request, zone);
    refuseFaults(faults);
    return async (id) => ({
      data: await droppedHits.byReason(id, period.from, period.to),
      meta: metaOf(zone, period),
    });
  });

  /** A list of values, as a page or as CSV. */
  function values(
    request: Request,
    zone: TimeZone,
    reply: FastifyReply,
    query: Asked,
    of: ValueList['of'],
    listValues: (list: ValueList, limit: number, position: ValuePosition | undefined) => Promise<ValuePage>,
  ): (websiteId: string) => Promise<object | string> {
    const isCsv = acceptsCsv(request);
    const list = { accountId: accountOf(request), query: toStatisticsQuery(websiteIdOf(request.params), query), of };
    const page = isCsv ? undefined : readValuePage(list, query);
    if (isCsv) refuseFaults([...query.faults, ...pagingFaults(query)]);
    return async (id) => {
      reply.header('vary', 'accept');
      if (page === undefined) {
        const { rows } = await listValues(list, MAX_CSV_ROWS, undefined);
        return reply.type(CSV_TYPE).send(valuesCsv(of[0], rows));
      }
      const found = await listValues(list, page.limit, page.position);
      const path = `/api/v1/websites/${id}/statistics/by/${of[0]}`;
      const { links, header } = valueLinksOf(list, path, query, found);
      if (header !== '') reply.header('link', header);
      return {
        data: found.rows.map((row) => toValue(of[0], row)),
        links,
        meta: { ...metaOf(zone, query.period), per_page: page.limit, total: found.total },
      };
    };
  }
}

/** The dimension of the path. Throws `not_found` where there is no such dimension. */
function dimensionOf({ params }: Request): Dimension {
  const dimension = DIMENSIONS.find((name) => name === params.dimension);
  if (dimension === undefined) throw new HttpProblem('not_found');
  return dimension;
}
