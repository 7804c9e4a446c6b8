import { may, type Viewer } from '@hitherto/domain/access';
import { showWebsiteSigns, type WebsiteSigns, type WebsiteSignsDependencies } from '@hitherto/domain/insight';
import {
  listOverview,
  MAX_SORTED,
  OVERVIEW_SORTS,
  type OverviewDependencies,
  type OverviewQuery as OverviewRequest,
  type OverviewRow,
  type ShowWebsiteGoalsDependencies,
  showWebsiteGoals,
  type WebsiteGoal,
} from '@hitherto/domain/reading';
import { InvalidRequest, type WireFault } from '@hitherto/http';
import { CSV_TYPE, overviewCsv } from '@hitherto/wire';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { viewerOf } from '../requests/authentication.ts';
import { shapeFaults } from '../requests/input.ts';
import { digest, linksOf, PER_PAGE, readCursor, signCursor } from '../requests/paging.ts';
import type { EnterList } from '../requests/unsent-lists.ts';
import { acceptsCsv } from '../statistics/accepts-csv.ts';
import { documentedOverview, type OverviewQuery } from './schemas.ts';

type Query = Static<typeof OverviewQuery>;

/** About the most bytes of a website with ten goals. */
const MAX_ROW_BYTES = 8_192;
const PATH = '/api/v1/overview';

/** All websites of the account at a glance (api.md), in the authenticated scope. */
export function overviewRoutes(
  app: FastifyInstance,
  deps: OverviewDependencies & ShowWebsiteGoalsDependencies & WebsiteSignsDependencies,
  enterList: EnterList,
): void {
  app.get<{ Querystring: Query }>(
    PATH,
    { schema: documentedOverview, config: { mergesFaults: true } },
    async (request, reply) => {
      const viewer = viewerOf(request);
      const { query } = request;
      const wanted = readQuery(viewer, query, shapeFaults(request));
      reply.header('vary', 'Accept');
      if (acceptsCsv(request)) {
        const { rows } = await listOverview(deps, [viewer], { ...wanted, limit: MAX_SORTED, position: undefined });
        return reply.type(CSV_TYPE).send(overviewCsv(rows, may(viewer, 'see_settings')));
      }
      await enterList(request, reply, wanted.limit * MAX_ROW_BYTES);
      const page = await listOverview(deps, [viewer], wanted);
      const [goals, signs] = await Promise.all([showWebsiteGoals(deps, page.rows), showWebsiteSigns(deps, page.rows)]);
      const { cursor: _, ...kept } = query;
      const { links, header } = linksOf(PATH, kept, page, (position) => signPosition(viewer, query, position));
      if (header !== undefined) reply.header('link', header);
      const { total, totalIsExact, whole } = page;
      return {
        data: page.rows.map((row, index) => toRow(row, goals[index] ?? [], signs[index])),
        links,
        meta: {
          per_page: wanted.limit,
          total,
          total_is_exact: totalIsExact,
          totals: whole === undefined ? null : toTotals(whole.totals),
        },
      };
    },
  );
}

function readQuery(viewer: Viewer, query: Query, shapeFaults: readonly WireFault[]): OverviewRequest {
  const faults = [...shapeFaults];
  const [side, key] = query.cursor === undefined ? [] : readCursor(query.cursor);
  const position =
    (side === 'after' || side === 'up_to') && typeof key === 'string' ? ({ side, key } as const) : undefined;
  if (faults.length === 0 && query.cursor !== undefined) {
    if (position === undefined || signPosition(viewer, query, position) !== query.cursor) {
      const detail = 'This cursor is broken, or was made for another query. Start again without a cursor.';
      faults.push({ field: 'cursor', code: 'invalid_cursor', detail });
    }
  }
  if (faults.length > 0) throw new InvalidRequest(faults);
  const { search, label, sort = 'visitors', order: direction = OVERVIEW_SORTS[sort], per_page: limit } = query;
  // Viewers do not see labels.
  const seen = may(viewer, 'see_settings') ? label : undefined;
  return { search, label: seen, sort, direction, limit: limit ?? PER_PAGE.default, position };
}

function signPosition(
  { accountId }: Viewer,
  { search, label, sort, order }: Query,
  { side, key }: { readonly side: string; readonly key: string },
): string {
  return signCursor(accountId, [side, key, digest(JSON.stringify([search, label, sort, order]))]);
}

function toTotals({
  visitors,
  before,
  comparable,
  silent,
}: {
  visitors: number;
  before: number | undefined;
  comparable: number;
  silent: number;
}) {
  return { visitors, visitors_before: before ?? null, visitors_compared: comparable, silent };
}

function toRow({ website, numbers }: OverviewRow, goals: readonly WebsiteGoal[], signs: WebsiteSigns | undefined) {
  const { id, url, label, timeZone } = website;
  const { from, to, visitors, isAtMost, before, days, current, state, lastHit } = numbers;
  return {
    ...{ id, url },
    ...(signs === undefined ? {} : { label, ...toSigns(signs) }),
    time_zone: timeZone,
    ...{ from, to },
    current_visitors: current,
    visitors,
    ...(isAtMost ? { visitors_at_most: true } : {}),
    visitors_before: before ?? null,
    days,
    goals: goals.map(({ before: conversions_before = null, ...goal }) => ({ ...goal, conversions_before })),
    state,
    last_hit_at: lastHit?.toISOString() ?? null,
  };
}

function toSigns({ findings, spikeAt }: WebsiteSigns) {
  const host = findings?.unknownHost;
  return {
    open_findings: findings?.count ?? 0,
    unknown_host: host === undefined ? null : { host: host.host, hits: host.hits },
    spike_at: spikeAt?.toISOString() ?? null,
  };
}
