import type { Fault } from '@hitherto/domain/base';
import {
  DEFINITION_TYPES,
  type Definition,
  type DefinitionDependencies,
  type DefinitionKind,
} from '@hitherto/domain/definitions';
import {
  createResource,
  createResourceOnce,
  deleteResource,
  listResources,
  showResource,
  updateResource,
} from '@hitherto/domain/resources';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { BODY_LIMIT, decodeJsonBodies, ignoreBodies, isNotModified } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf, websiteOf } from '../requests/authentication.ts';
import { idempotencyKeyOf, parseBody, shapeFaults } from '../requests/input.ts';
import type { EnterList } from '../requests/unsent-lists.ts';
import { etagOf, preconditionOf, withoutState } from '../requests/versions.ts';
import { FUNNELS } from './funnels.ts';
import { GOALS } from './goals.ts';
import { type DefinitionBody, type DefinitionResource, toResource } from './resource.ts';
import { routeSchemasOf } from './route-schemas.ts';
import { SEGMENTS } from './segments.ts';
import { shortened } from './shortened.ts';

type Params = { readonly id: string; readonly [id: `${string}_id`]: string };
type Request = FastifyRequest<{ Params: Params }>;

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
  const documented = routeSchemasOf(kind, resource.schemas);
  const all = `/api/v1/websites/:id/${kind}s`;
  const one = `${all}/:${kind}_id`;
  const idOf = ({ params }: Request) => params[`${kind}_id`]?.toLowerCase() ?? '';
  const conditionOf = (request: FastifyRequest) => preconditionOf(request, resource.faultsOf && withoutState);
  const bodyOf = <T>(request: FastifyRequest<{ Body: DefinitionBody }>, parse: (body: DefinitionBody) => T) =>
    parseBody(request.body, shapeFaults(request), parse);

  const faultsOf = async (website: WebsiteKey, definitions: readonly Definition<Kind>[]) => {
    const faults = await resource.faultsOf?.(deps, website, definitions);
    return ({ id }: Definition<Kind>): readonly Fault[] => faults?.get(id) ?? [];
  };

  /** The body of a response with one definition, whose headers it sets. */
  const shown = (reply: FastifyReply, definition: Definition<Kind>, faults: readonly Fault[]) => {
    reply.header('etag', etagOf(definition, faults.length || undefined));
    return { data: toResource(definition, resource.fieldsOf(definition.content), faults) };
  };

  app.register(async (reading) => {
    reading.get<{ Params: Params }>(all, { schema: documented.list }, async (request, reply) => {
      const website = websiteOf(request);
      // The most that is possible is far more than usual.
      await enterList(request, reply, await deps.definitions[kind].size(website));
      const definitions = await listResources(deps, DEFINITION_TYPES[kind], website);
      const faults = await faultsOf(website, definitions);
      return { data: definitions.map((one) => toResource(one, resource.fieldsOf(one.content), faults(one))) };
    });

    reading.get<{ Params: Params }>(one, { schema: documented.show }, async (request, reply) => {
      const website = websiteOf(request);
      const definition = await showResource(deps, DEFINITION_TYPES[kind], website, idOf(request));
      const faults = (await faultsOf(website, [definition]))(definition);
      const etag = etagOf(definition, faults.length || undefined);
      return isNotModified(request, etag)
        ? reply.header('etag', etag).code(304).send()
        : shown(reply, definition, faults);
    });
  });

  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);
    writing.addHook('preValidation', (request, _reply, done) => {
      request.body = shortened(request.body);
      done();
    });

    writing.post<{ Params: Params; Body: DefinitionBody }>(
      all,
      { schema: documented.create, config: { mergesFaults: true } },
      async (request, reply) => {
        const website = websiteOf(request);
        const key = idempotencyKeyOf(request);
        const input = bodyOf(request, resource.parseNew);
        const changing = { ...deps, author: authorOf(request) };
        const { resource: definition, replayed } =
          key === undefined
            ? { resource: await createResource(changing, DEFINITION_TYPES[kind], website, input), replayed: false }
            : await createResourceOnce(changing, DEFINITION_TYPES[kind], website, input, key);
        if (replayed) reply.header('idempotent-replayed', 'true');
        reply.code(201).header('location', `${all.replace(':id', website.websiteId)}/${definition.id}`);
        // A new definition has no faults, and a replay is the first response.
        return shown(reply, definition, []);
      },
    );

    writing.patch<{ Params: Params; Body: DefinitionBody }>(
      one,
      { schema: documented.update, config: { mergesFaults: true } },
      async (request, reply) => {
        const website = websiteOf(request);
        const changes = bodyOf(request, resource.parseChanges);
        const precondition = conditionOf(request);
        const changing = { ...deps, author: authorOf(request) };
        const definition = await updateResource(
          changing,
          DEFINITION_TYPES[kind],
          website,
          idOf(request),
          changes,
          precondition,
        );
        return shown(reply, definition, (await faultsOf(website, [definition]))(definition));
      },
    );
  });

  app.register(async (deleting) => {
    ignoreBodies(deleting);

    deleting.delete<{ Params: Params }>(one, { schema: documented.remove }, async (request, reply) => {
      const changing = { ...deps, author: authorOf(request) };
      await deleteResource(changing, DEFINITION_TYPES[kind], websiteOf(request), idOf(request), conditionOf(request));
      return reply.code(204).send();
    });
  });
}
