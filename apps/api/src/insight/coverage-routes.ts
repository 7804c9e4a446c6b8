import type { Importer } from '@hitherto/domain/imports';
import { type CoverageReader, type CoverageRepository, listCoverage, showCoverage } from '@hitherto/domain/insight';
import { showWebsite, type WebsiteDependencies } from '@hitherto/domain/websites';
import { type AccountLimit, InvalidRequest } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { acceptFiles, receiveInPlace } from '../imports/receive.ts';
import { viewerOf, websiteOf } from '../requests/authentication.ts';
import { shapeFaults } from '../requests/input.ts';
import { idIn } from '../resources/resource-routes.ts';
import { type CoverageQuery, DOCUMENTED_COVERAGE, toCoverageResource } from './coverage-schemas.ts';

export interface CoverageRouteDependencies extends Pick<WebsiteDependencies, 'websites' | 'now'> {
  readonly importer: Importer;
  readonly coverageReader: CoverageReader;
  readonly coverages: CoverageRepository;
}

interface Route {
  Params: { readonly id: string };
}

const ALL = '/api/v1/websites/:id/coverage';

/** The coverage of a website by logs of its server (imports.md, "Coverage"), in the authenticated scope. */
export function coverageRoutes(
  app: FastifyInstance,
  deps: CoverageRouteDependencies,
  accountLimit: AccountLimit | undefined,
): void {
  app.get<Route>(ALL, { schema: DOCUMENTED_COVERAGE.list }, async (request) => ({
    data: (await listCoverage(deps, websiteOf(request))).map(toCoverageResource),
  }));

  app.get<Route>(`${ALL}/:coverage_id`, { schema: DOCUMENTED_COVERAGE.show }, async (request) => ({
    data: toCoverageResource(await showCoverage(deps, websiteOf(request), idIn(request, 'coverage_id'))),
  }));

  app.register(async (uploading) => {
    acceptFiles(uploading);

    uploading.post<Route & { Querystring: Static<typeof CoverageQuery> }>(
      ALL,
      { schema: DOCUMENTED_COVERAGE.create, config: { mergesFaults: true } },
      async (request, reply) => {
        const faults = shapeFaults(request);
        if (faults.length > 0) throw new InvalidRequest(faults);
        const website = websiteOf(request);
        await showWebsite(deps, viewerOf(request), website.websiteId);
        const file = await receiveInPlace(deps.importer, website.accountId, request, accountLimit);
        const report = await deps.coverageReader.start(website, file.path, request.query.days, file.remove);
        return reply
          .code(202)
          .header('location', `${ALL.replace(':id', website.websiteId)}/${report.id}`)
          .send({ data: toCoverageResource(report) });
      },
    );
  });
}
