import type { Fault } from '@hitherto/domain/base';
import {
  DEFINITION_TYPES,
  type Definition,
  type DefinitionDependencies,
  type DefinitionKind,
} from '@hitherto/domain/definitions';
import { deleteResource, listResources, showResource, updateResource } from '@hitherto/domain/resources';
import type { WebsiteKey } from '@hitherto/domain/websites';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorOf, websiteOf } from '../../requests/authentication.ts';
import { parseBody, shapeFaults } from '../../requests/input.ts';
import type { EnterList } from '../../requests/unsent-lists.ts';
import { etagOf } from '../../requests/versions.ts';
import { createRepeatably, idIn, resourceRoutes } from '../resource-routes.ts';
import { FUNNELS } from './funnels.ts';
import { GOALS } from './goals.ts';
import { type DefinitionBody, type DefinitionResource, toResource } from './resource.ts';
import { routeSchemasOf } from './route-schemas.ts';
import { SEGMENTS } from './segments.ts';
import { shortenedValue } from './shortened.ts';

/** The schemas that are referenced by name. */
export const DEFINITION_SCHEMAS = [SEGMENTS, GOALS, FUNNELS].flatMap(({ schemas }) => Object.values(schemas));

/** Segments, goals and funnels (api.md, "Statistics"), in the authenticated scope. */
export function definitionRoutes(app: FastifyInstance, deps: DefinitionDependencies, enterList: EnterList): void {
  routesOf(app, deps, enterList, SEGMENTS);
  routesOf(app, deps, enterList, GOALS);
  routesOf(app, deps, enterList, FUNNELS);
}

function routesOf<Kind extends DefinitionKind>(
  app: FastifyInstance,
  deps: DefinitionDependencies,
  enterList: EnterList,
  resource: DefinitionResource<Kind>,
): void {
  const { kind } = resource;
  const type = DEFINITION_TYPES[kind];
  const all = `/api/v1/websites/:id/${kind}s`;
  const idOf = (request: FastifyRequest) => idIn(request, `${kind}_id`);
  const changing = (request: FastifyRequest) => ({ ...deps, author: authorOf(request) });

  const faultsOf = async (website: WebsiteKey, definitions: readonly Definition<Kind>[]) => {
    const faults = await resource.faultsOf?.(deps, website, definitions);
    return ({ id }: Definition<Kind>): readonly Fault[] => faults?.get(id) ?? [];
  };

  resourceRoutes<Definition<Kind>, DefinitionBody>(app, {
    all,
    one: `${all}/:${kind}_id`,
    documented: routeSchemasOf(kind, resource.schemas),
    hasState: resource.faultsOf !== undefined,
    shorten: shortenedValue,

    async list(request, reply) {
      const website = websiteOf(request);
      // The most that is possible is far more than usual.
      await enterList(request, reply, await deps.definitions[kind].size(website));
      const definitions = await listResources(deps, type, website);
      const faults = await faultsOf(website, definitions);
      return definitions.map((one) => toResource(one, resource.fieldsOf(one.content), faults(one)));
    },

    show: (request) => showResource(deps, type, websiteOf(request), idOf(request)),

    async create(request) {
      const website = websiteOf(request);
      const input = () => parseBody(request.body, shapeFaults(request), resource.parseNew);
      const created = await createRepeatably(request, changing(request), type, website, input);
      return { ...created, location: `${all.replace(':id', website.websiteId)}/${created.resource.id}` };
    },

    update(request, precondition) {
      const changes = parseBody(request.body, shapeFaults(request), resource.parseChanges);
      return updateResource(changing(request), type, websiteOf(request), idOf(request), changes, precondition);
    },

    remove: (request, precondition) =>
      deleteResource(changing(request), type, websiteOf(request), idOf(request), precondition),

    async write(definition, request) {
      // A new definition has no faults, and a replay is the first response.
      const faults = request.method === 'POST' ? [] : (await faultsOf(websiteOf(request), [definition]))(definition);
      const etag = etagOf(definition, faults.length || undefined);
      return { data: toResource(definition, resource.fieldsOf(definition.content), faults), etag };
    },
  });
}
