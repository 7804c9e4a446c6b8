import { zoneOf } from '@hitherto/domain/calendar';
import {
  CLEANUP,
  CLEANUP_STATUSES,
  type Cleanup,
  type CleanupDependencies,
  type CleanupInput,
  CONFIRMED_CLEANUP,
  deleteCleanup,
  eraseCleanup,
  type PreviewDependencies,
  parseCleanupChanges,
  parseNewCleanup,
  parseRule,
  previewCleanup,
  undoneFrom,
} from '@hitherto/domain/cleanups';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { type ImportedPeriod, type ImportRepository, importedPeriods } from '@hitherto/domain/imports';
import { listResources, showResource, updateResource } from '@hitherto/domain/resources';
import { type WebsiteKey, type WebsiteRepository, websiteNotFound } from '@hitherto/domain/websites';
import { BODY_LIMIT, decodeJsonBodies, ignoreBodies } from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorOf, viewerOf, websiteOf } from '../../requests/authentication.ts';
import { parseBody, shapeFaults } from '../../requests/input.ts';
import { etagOf, preconditionOf, withoutState } from '../../requests/versions.ts';
import { createRepeatably, idIn, type ResourceRequest, resourceRoutes } from '../resource-routes.ts';
import { documented } from './route-schemas.ts';
import { toCleanupResource, toPreview } from './schemas.ts';

const ALL = '/api/v1/websites/:id/cleanups';

export interface CleanupRouteDependencies
  extends CleanupDependencies,
    Omit<PreviewDependencies, 'statistics' | 'imports'> {
  readonly websites: WebsiteRepository;
  readonly statistics: StatisticsRepository;
  readonly imports: ImportRepository;
}

interface CleanupBody extends Omit<CleanupInput, 'filters'> {
  readonly filters?: Readonly<Record<string, readonly string[]>>;
  readonly hides_all?: boolean;
}

/** Cleanups (cleanups.md), in the authenticated scope. */
export function cleanupRoutes(app: FastifyInstance, deps: CleanupRouteDependencies): void {
  const idOf = (request: FastifyRequest) => idIn(request, 'cleanup_id');
  const changing = (request: FastifyRequest) => ({ ...deps, author: authorOf(request) });
  const parsed = <T>(request: FastifyRequest, parse: (input: CleanupInput) => T) =>
    parseBody(request.body as CleanupBody, shapeFaults(request), (body) => parse(toInput(body)));

  /** What cleanups of a website do not reach. */
  const findBounds = async ({ websiteId }: WebsiteKey, cleanups: readonly Cleanup[]) => {
    const [keptFrom, imported] = await Promise.all([
      deps.maintenance.keptFrom(),
      cleanups.length === 0 ? [] : importedPeriods(deps, websiteId, { from: '1970-01-01', to: '9999-12-31' }),
    ]);
    const sums = imported.filter((period) => period.sums !== undefined);
    return (cleanup: Cleanup) => ({
      undoneFrom: undoneFrom(cleanup, keptFrom),
      without: sums.flatMap((period) => within(period, cleanup)),
    });
  };

  const write = async (cleanup: Cleanup, request: ResourceRequest) => {
    const boundsOf = await findBounds(websiteOf(request), [cleanup]);
    const state = CLEANUP_STATUSES.indexOf(cleanup.status);
    return { data: toCleanupResource(cleanup, boundsOf(cleanup)), etag: etagOf(cleanup, state || undefined) };
  };

  resourceRoutes<Cleanup, CleanupBody>(app, {
    all: ALL,
    one: `${ALL}/:cleanup_id`,
    documented,
    hasState: true,

    async list(request) {
      const website = websiteOf(request);
      const cleanups = await listResources(deps, CLEANUP, website);
      const boundsOf = await findBounds(website, cleanups);
      return cleanups.map((cleanup) => toCleanupResource(cleanup, boundsOf(cleanup)));
    },

    show: (request) => showResource(deps, CLEANUP, websiteOf(request), idOf(request)),

    async create(request) {
      const website = websiteOf(request);
      const input = () => parsed(request, parseNewCleanup);
      const type = (request.body as CleanupBody | undefined)?.hides_all === true ? CONFIRMED_CLEANUP : CLEANUP;
      const created = await createRepeatably(request, changing(request), type, website, input);
      return { ...created, location: `${ALL.replace(':id', website.websiteId)}/${created.resource.id}` };
    },

    update(request, precondition) {
      const changes = parsed(request, parseCleanupChanges);
      return updateResource(changing(request), CLEANUP, websiteOf(request), idOf(request), changes, precondition);
    },

    removeLater: (request, precondition) =>
      deleteCleanup(changing(request), websiteOf(request), idOf(request), precondition),

    write,
  });

  app.register(async (erasing) => {
    ignoreBodies(erasing);
    type Route = { Params: { readonly id: string } };
    erasing.post<Route>(`${ALL}/:cleanup_id/erase`, { schema: documented.erase }, async (request, reply) => {
      const precondition = preconditionOf(request, withoutState);
      const erased = await eraseCleanup(changing(request), websiteOf(request), idOf(request), precondition);
      const { data, etag } = await write(erased, request);
      reply.header('etag', etag);
      return reply.code(202).send({ data });
    });
  });

  app.register(async (previewing) => {
    decodeJsonBodies(previewing, ['application/json'], BODY_LIMIT);
    const config = { mergesFaults: true, action: 'see_settings' } as const;
    previewing.post(`${ALL}/preview`, { schema: documented.preview, config }, async (request: ResourceRequest) => {
      const rule = parsed(request, parseRule);
      const { websiteId } = websiteOf(request);
      const website = await deps.websites.find(viewerOf(request), websiteId);
      if (website === undefined) throw websiteNotFound();
      return toPreview(await previewCleanup({ ...deps, zone: zoneOf(website, deps.zone) }, websiteId, rule));
    });
  });
}

function toInput({ filters, hides_all: _, ...others }: CleanupBody): CleanupInput {
  return { ...others, filters: filters && Object.entries(filters) };
}

/** The part of a period on the days of a cleanup. */
function within(period: ImportedPeriod, cleanup: Pick<Cleanup, 'from' | 'to'>): ImportedPeriod[] {
  const from = cleanup.from !== null && cleanup.from > period.from ? cleanup.from : period.from;
  const to = cleanup.to !== null && cleanup.to < period.to ? cleanup.to : period.to;
  return from <= to ? [{ ...period, from, to }] : [];
}
