import { compareBytes } from '@hitherto/domain/base';
import { daysBetween, zoneOf } from '@hitherto/domain/calendar';
import { type WebsiteDependencies, websiteNotFound } from '@hitherto/domain/websites';
import { HttpProblem, type WireFault } from '@hitherto/http';
import { CSV_TYPE, MAX_CSV_ROWS, writeCsv } from '@hitherto/wire';
import type { FastifyInstance } from 'fastify';
import { viewerOf } from '../requests/authentication.ts';
import { readIntegers, shapeFaults, websiteIdOf } from '../requests/input.ts';
import { linkHeader, PER_PAGE } from '../requests/paging.ts';
import { acceptsCsv } from './accepts-csv.ts';
import { readAskedPeriod, rejectFaults } from './read-query.ts';
import { metaOf, toPeriods } from './resources.ts';
import type { StatisticsDependencies } from './routes.ts';
import { isCollected, STATS, type StatsRow } from './stats-rows.ts';
import { documentedStats, StatsQuery, type StatsRequest } from './stats-schemas.ts';
import { readImported } from './without-days.ts';

/** Longer series are by month. */
const MAX_DAYS_OF_DAYS = 92;

/** The lists of GET /api/v1/stats/{id} (api.md), in a scope of their own: elsewhere `page` is a filter, not a number. */
export function statsRoutes(
  app: FastifyInstance,
  deps: StatisticsDependencies & Pick<WebsiteDependencies, 'websites' | 'now'>,
): void {
  readIntegers(app, [StatsQuery]);
  const options = { schema: documentedStats, config: { mergesFaults: true } } as const;
  app.get<{ Params: { readonly id: string }; Querystring: StatsRequest }>(
    '/api/v1/stats/:id',
    options,
    async (request, reply) => {
      const website = await deps.websites.find(viewerOf(request), websiteIdOf(request.params));
      const zone = website === undefined ? deps.zone : zoneOf(website, deps.zone);
      // Here, `sort` is a direction.
      const { sort: _, ...asking } = request.query;
      const asked = readAskedPeriod(asking, shapeFaults(request), zone, deps.now());
      const isCsv = acceptsCsv(request);
      rejectFaults([...asked.faults, ...(isCsv ? csvFaults(request.query) : [])]);
      const { name } = request.query;
      if (!isCollected(name)) throw new HttpProblem('not_collected', `Nothing is collected for "${name}".`);
      if (website === undefined) throw websiteNotFound();

      const query = { websiteId: website.id, ...asked.period, filters: [] };
      const interval = daysBetween(query.from, query.to) > MAX_DAYS_OF_DAYS ? 'month' : 'day';
      const rows = arrange(await STATS[name].read({ ...deps, zone }, query, interval), request.query);
      reply.header('vary', 'accept');
      if (isCsv) return reply.type(CSV_TYPE).send(statsCsv(rows));
      const { data, links, page } = pageOf(website.id, { ...request.query, ...asked.period }, rows);
      const header = linkHeader(links);
      if (header !== undefined) reply.header('link', header);
      const { without } = await readImported(deps, query, STATS[name].asks);
      const { per_page, total } = page;
      const meta = { name, ...metaOf(asked), without_days: toPeriods(without), per_page, total };
      return { data, links, meta, ...page };
    },
  );
}

/** The faults of parameters that CSV does not accept: it is not paged. */
function csvFaults(query: StatsRequest): WireFault[] {
  return (['per_page', 'page'] as const)
    .filter((field) => query[field] !== undefined)
    .map((field) => ({ field, code: 'not_allowed', detail: 'CSV has no pages: leave this out.' }));
}

/** The rows that are searched for, in their order. */
function arrange(rows: readonly StatsRow[], { search, sort_by, sort }: StatsRequest): StatsRow[] {
  const text = search?.toLowerCase() ?? '';
  const found = rows.filter(({ value }) =>
    String(value ?? '')
      .toLowerCase()
      .includes(text),
  );
  const direction = sort === 'asc' ? 1 : -1;
  return found.sort((a, b) =>
    sort_by === 'value' ? direction * compareValues(a, b) : direction * (a.count - b.count) || compareValues(a, b),
  );
}

/** Hours by number, other values in byte order. */
function compareValues({ value: a }: StatsRow, { value: b }: StatsRow): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareBytes(String(a ?? ''), String(b ?? ''));
}

function statsCsv(rows: readonly StatsRow[]): string {
  return writeCsv(
    ['value', 'count'],
    rows.slice(0, MAX_CSV_ROWS).map(({ value, count }) => [value, count]),
  );
}

/** A page of the rows, with links that name the period, because the default one moves on at midnight. */
function pageOf(websiteId: string, query: StatsRequest, rows: readonly StatsRow[]) {
  const { per_page = PER_PAGE.default, page: current = 1 } = query;
  const last = Math.max(1, Math.ceil(rows.length / per_page));
  const linkTo = (page: number) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, page })) parameters.set(name, `${value}`);
    return `/api/v1/stats/${websiteId}?${parameters}`;
  };
  return {
    data: rows.slice((current - 1) * per_page, current * per_page),
    links: {
      first: linkTo(1),
      last: linkTo(last),
      prev: current > 1 ? linkTo(Math.min(current - 1, last)) : null,
      next: current < last ? linkTo(current + 1) : null,
    },
    page: { current_page: current, last_page: last, per_page, total: rows.length },
  };
}
