import { dismissFinding, type FindingRepository, listFindings, showFinding } from '@hitherto/domain/checks';
import { showWebsite, type WebsiteDependencies, type WebsiteKey } from '@hitherto/domain/websites';
import { ignoreBodies } from '@hitherto/http';
import { writeFinding } from '@hitherto/wire';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { viewerOf, websiteOf } from '../requests/authentication.ts';
import { idIn } from '../resources/resource-routes.ts';
import { DOCUMENTED_FINDINGS } from './finding-schemas.ts';

export interface FindingDependencies extends Pick<WebsiteDependencies, 'websites' | 'now'> {
  readonly findings: FindingRepository;
}

type Request = FastifyRequest<{ Params: { readonly id: string } }>;
interface Route {
  Params: { readonly id: string };
}

const ALL = '/api/v1/websites/:id/findings';

/** What checks have found on a website (checks.md), in the authenticated scope. */
export function findingRoutes(app: FastifyInstance, deps: FindingDependencies): void {
  const idOf = (request: Request) => idIn(request, 'finding_id');
  const websiteIn = (request: Request, { websiteId }: WebsiteKey) => showWebsite(deps, viewerOf(request), websiteId);

  app.get<Route>(ALL, { schema: DOCUMENTED_FINDINGS.list }, async (request) => {
    const key = websiteOf(request);
    const found = await listFindings(deps, key);
    const website = await websiteIn(request, key);
    return { data: found.map((finding) => writeFinding(finding, website)) };
  });

  app.get<Route>(`${ALL}/:finding_id`, { schema: DOCUMENTED_FINDINGS.show }, async (request) => {
    const key = websiteOf(request);
    const finding = await showFinding(deps, key, idOf(request));
    return { data: writeFinding(finding, await websiteIn(request, key)) };
  });

  app.register(async (withoutBody) => {
    ignoreBodies(withoutBody);

    withoutBody.post<Route>(`${ALL}/:finding_id/dismiss`, { schema: DOCUMENTED_FINDINGS.dismiss }, async (request) => {
      const key = websiteOf(request);
      const finding = await dismissFinding(deps, key, idOf(request));
      return { data: writeFinding(finding, await websiteIn(request, key)) };
    });
  });
}
