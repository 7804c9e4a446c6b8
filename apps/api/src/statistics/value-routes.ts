import type { TimeZone } from '@hitherto/domain/calendar';
import type { EventProperty } from '@hitherto/domain/engine';
import { DIMENSIONS, type Dimension } from '@hitherto/domain/hits';
import { showConvertedValues } from '@hitherto/domain/reading';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { HttpProblem, type WireFault } from '@hitherto/http';
import { CSV_TYPE, MAX_CSV_ROWS, valuesCsv } from '@hitherto/wire';
import type { FastifyReply } from 'fastify';
import { accountOf } from '../requests/authentication.ts';
import { websiteIdOf } from '../requests/input.ts';
import { acceptsCsv } from './accepts-csv.ts';
import { showCleaned } from './cleaned.ts';
import { PROPERTY_QUERY, type ReadParameters, VALUES_QUERY } from './query-schemas.ts';
import { type Asked, rejectFaults, resolveAsked } from './read-query.ts';
import { metaOf, toPeriods, toValue } from './resources.ts';
import * as documented from './route-schemas.ts';
import type { Reads, Request, StatisticsDependencies } from './routes.ts';
import { csvFaults, readValuePage, type ValueList, valueLinksOf } from './value-list.ts';
import { readImported } from './without-days.ts';

/** The subject of a list: a dimension, or a property of an event. */
interface Listed {
  readonly of: ValueList['of'];
  readonly by: Dimension | EventProperty;
}

/** The lists of values. */
export function valueRoutes({ get, asked }: Reads, deps: StatisticsDependencies): void {
  get('/by/property', documented.propertyValues, (request, zone, reply) => {
    const { event = '', property = '' } = request.query;
    return values(request, zone, reply, PROPERTY_QUERY, {
      of: ['property', event, property],
      by: { event, property },
    });
  });

  get('/by/:dimension', documented.values, (request, zone, reply) => {
    const dimension = dimensionOf(request);
    return values(request, zone, reply, VALUES_QUERY, {
      of: [dimension],
      by: dimension,
    });
  });

  /** A list of values, as a page or as CSV. */
  function values(
    request: Request,
    zone: TimeZone,
    reply: FastifyReply,
    parameters: ReadParameters,
    { of, by }: Listed,
  ): (website: WebsiteKey) => Promise<object | string> {
    const asking = asked(request, zone, parameters);
    const wanted = { ...asking, faults: [...asking.faults, ...orderFaults(by, asking)] };
    const isCsv = acceptsCsv(request);
    const list = { accountId: accountOf(request), websiteId: websiteIdOf(request.params), asked: wanted, of };
    if (isCsv) rejectFaults([...wanted.faults, ...csvFaults(wanted, parameters)]);
    const page = isCsv ? { limit: MAX_CSV_ROWS, position: undefined, order: wanted.query.sort } : readValuePage(list);
    return async (website) => {
      const { query, conversion } = await resolveAsked(deps, website, wanted);
      const { page: found, converted } = await deps.statistics.reading(query, (statistics) =>
        showConvertedValues({ statistics }, query, conversion, by, page.limit, page.position, page.order),
      );
      reply.header('vary', 'accept');
      if (isCsv) return reply.type(CSV_TYPE).send(valuesCsv(of[0], found.rows, converted));
      const { links, header } = valueLinksOf(
        list,
        `/api/v1/websites/${website.websiteId}/statistics/by/${of[0]}`,
        found,
      );
      if (header !== undefined) reply.header('link', header);
      const { without } = await readImported(deps, query, typeof by === 'string' ? by : 'hits');
      return {
        data: found.rows.map((row, index) => toValue(of[0], row, converted?.[index])),
        links,
        meta: {
          ...metaOf(wanted),
          without_days: toPeriods(without),
          per_page: page.limit,
          total: found.total,
          ...(await showCleaned(deps, website, query)),
        },
      };
    };
  }
}

/** The fault of an order that a list does not have: events are not measured. */
function orderFaults(by: Listed['by'], { query }: Asked): WireFault[] {
  if (by !== 'event' || query.sort !== 'engaged_seconds') return [];
  return [{ field: 'sort', code: 'not_allowed', detail: 'Events have no engaged seconds.' }];
}

/** The dimension of the path. Throws `not_found` where there is no such dimension. */
function dimensionOf({ params }: Request): Dimension {
  const dimension = DIMENSIONS.find((name) => name === params.dimension);
  if (dimension === undefined) throw new HttpProblem('not_found');
  return dimension;
}
