import { createLink, LINK, type LinkDependencies, type LinkInput, parseNewLink } from '@hitherto/domain/links';
import { deleteResource, listResources } from '@hitherto/domain/resources';
import { BODY_LIMIT, decodeJsonBodies, ignoreBodies } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { authorOf, websiteOf } from '../requests/authentication.ts';
import { parseBody, shapeFaults } from '../requests/input.ts';
import { documented, toLinkResource } from './link-schemas.ts';

type ById = { Params: { id: string } };

const ALL = '/api/v1/websites/:id/links';

/** Shared links (sharing.md, "Shared links"), in the authenticated scope. */
export function linkRoutes(app: FastifyInstance, deps: LinkDependencies): void {
  app.get<ById>(ALL, { schema: documented.list }, async (request) => {
    const links = await listResources(deps, LINK, websiteOf(request));
    return { data: links.map(toLinkResource) };
  });

  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);

    writing.post<ById & { Body: LinkInput }>(
      ALL,
      { schema: documented.create, config: { mergesFaults: true } },
      async (request, reply) => {
        const input = parseBody(request.body, shapeFaults(request), (body) => parseNewLink(body, deps.now()));
        const { link, token } = await createLink({ ...deps, author: authorOf(request) }, websiteOf(request), input);
        reply.code(201);
        return { data: { ...toLinkResource(link), address: `/share/${token}` } };
      },
    );
  });

  app.register(async (revoking) => {
    ignoreBodies(revoking);

    revoking.delete<{ Params: { id: string; link_id: string } }>(
      `${ALL}/:link_id`,
      { schema: documented.revoke },
      async (request, reply) => {
        const revoked = { ...deps, author: authorOf(request) };
        await deleteResource(revoked, LINK, websiteOf(request), request.params.link_id.toLowerCase());
        return reply.code(204).send();
      },
    );
  });
}
