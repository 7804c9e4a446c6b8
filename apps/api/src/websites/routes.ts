import {
  createWebsite,
  createWebsiteOnce,
  deleteWebsite,
  listWebsites,
  showWebsite,
  updateWebsite,
  type Website,
  type WebsiteDependencies,
} from '@hitherto/domain';
import { decodeBodies, ignoreBodies } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf } from '../authentication/authentication.ts';
import { idempotencyKeyOf } from '../idempotency-key.ts';
import { refuseShapeFaults, shapeFaults } from '../shape-faults.ts';
import { fromListQuery, toListAnswer } from './list-page.ts';
import { etagOf, isNotModified, preconditionOf } from './preconditions.ts';
import * as documented from './route-schemas.ts';
import type { ListQuery, WebsiteBody } from './schemas.ts';
import { fromStoreBody, fromUpdateBody, toResource } from './wire.ts';

type ById = { Params: { id: string } };

/** The five operations of the specification, section 4, and the alias of destroy. They stand in the authenticated scope. */
export function websiteRoutes(app: FastifyInstance, deps: WebsiteDependencies): void {
  app.register(async (reading) => {
    reading.get<{ Querystring: Static<typeof ListQuery> }>(
      '/api/v1/websites',
      { schema: documented.list, attachValidation: true },
      async (request, reply) => {
        const page = fromListQuery(accountOf(request), request.query, shapeFaults(request));
        const found = await listWebsites(deps, accountOf(request), page.filter, page.limit, page.position);
        const { body, linkHeader } = toListAnswer(accountOf(request), '/api/v1/websites', request.query, page, found);
        if (linkHeader !== '') reply.header('link', linkHeader);
        return body;
      },
    );

    reading.get<ById>(
      '/api/v1/websites/:id',
      { schema: documented.show, attachValidation: true },
      async (request, reply) => {
        refuseShapeFaults(request);
        const website = await showWebsite(deps, accountOf(request), idOf(request));
        reply.header('etag', etagOf(website));
        if (isNotModified(request, website)) return reply.code(304).send();
        return { data: toResource(website) };
      },
    );
  });

  app.register(async (writing) => {
    decodeBodies(writing);

    writing.post<{ Body: WebsiteBody }>(
      '/api/v1/websites',
      { schema: documented.store, attachValidation: true },
      async (request, reply) => {
        const key = idempotencyKeyOf(request);
        const input = fromStoreBody(request.body, shapeFaults(request));
        if (key === undefined) return stored(reply, await createWebsite(deps, accountOf(request), input));
        const { website, replayed } = await createWebsiteOnce(deps, accountOf(request), input, key);
        if (replayed) reply.header('idempotent-replayed', 'true');
        return stored(reply, website);
      },
    );

    for (const [method, operationId] of [
      ['PUT', 'putWebsite'],
      ['PATCH', 'patchWebsite'],
    ] as const) {
      writing.route<ById & { Body: WebsiteBody }>({
        method,
        url: '/api/v1/websites/:id',
        schema: { ...documented.update, operationId },
        attachValidation: true,
        handler: async (request, reply) => {
          const changes = fromUpdateBody(request.body, shapeFaults(request));
          const precondition = preconditionOf(request);
          const website = await updateWebsite(deps, accountOf(request), idOf(request), changes, precondition);
          reply.header('etag', etagOf(website));
          return { data: toResource(website) };
        },
      });
    }
  });

  app.register(async (destroying) => {
    ignoreBodies(destroying);

    for (const [url, operationId] of [
      ['/websites/:id/destroy', 'destroyWebsite'],
      ['/api/v1/websites/:id', 'deleteWebsite'],
    ] as const) {
      const schema = { ...documented.destroy, operationId };
      destroying.delete<ById>(url, { schema, attachValidation: true }, async (request, reply) => {
        refuseShapeFaults(request);
        await deleteWebsite(deps, accountOf(request), idOf(request), preconditionOf(request));
        return reply.code(204).send();
      });
    }
  });
}

/** RFC 9562, section 4: a UUID is read whatever its letter case. */
function idOf(request: FastifyRequest<ById>): string {
  return request.params.id.toLowerCase();
}

function stored(reply: FastifyReply, website: Website) {
  reply.code(201).header('location', `/api/v1/websites/${website.id}`).header('etag', etagOf(website));
  return { data: toResource(website) };
}
