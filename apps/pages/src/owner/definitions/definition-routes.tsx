import { DEFINITION_TYPES, type DefinitionKind } from '@hitherto/domain/definitions';
import { listResources } from '@hitherto/domain/resources';
import type { FastifyInstance } from 'fastify';
import { sendPage } from '../../shared/page.tsx';
import { statisticsPath, websitePath } from '../../shared/paths.ts';
import { queryParameters } from '../../shared/request.ts';
import { type ById, frameOf } from '../found-website.ts';
import { WebsiteFrame } from '../website-frame.tsx';
import type { DefinitionPages } from './definition-pages.ts';
import { DefinitionsList } from './definitions-list.tsx';
import { deletionRoutes } from './deletion-routes.tsx';
import { formRoutes } from './form-routes.tsx';
import { type DefinitionRoutesDependencies, openWebsite } from './open-website.ts';

/** The list of the definitions of a kind, and the forms that create, change and delete them (pages.md). */
export function definitionRoutes<Kind extends DefinitionKind, Aids>(
  scope: FastifyInstance,
  deps: DefinitionRoutesDependencies,
  pages: DefinitionPages<Kind, Aids>,
): void {
  const { kind, page, parameter, purpose } = pages;

  scope.get<ById>(websitePath(':id', page), async (request, reply) => {
    const { shown, website } = await openWebsite(deps, request);
    const definitions = await listResources(deps, DEFINITION_TYPES[kind], website);
    const summaries = await pages.summarize(deps, website, definitions);
    const query = queryParameters(request);
    const frame = frameOf(request, shown, page);
    return sendPage(
      reply,
      <WebsiteFrame {...frame}>
        <DefinitionsList
          kind={kind}
          page={page}
          purpose={purpose}
          websiteId={shown.id}
          rows={definitions.map(({ id, name }, index) => ({
            id,
            name,
            summary: summaries[index],
            statisticsHref: parameter && `${statisticsPath(shown.id)}?${parameter}=${id}`,
          }))}
          done={query.has('saved') ? 'Saved.' : query.has('deleted') ? 'Deleted.' : undefined}
          canWrite={frame.canWrite}
        />
      </WebsiteFrame>,
    );
  });

  formRoutes(scope, deps, pages);
  deletionRoutes(scope, deps, pages);
}
