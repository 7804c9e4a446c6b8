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
import { decodeBodies, ignoreBodies, isNotModified } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf } from '../authentication/authentication.ts';
import { idempotencyKeyOf, shapeFaults } from '../input.ts';
import { fromListQuery, toListResponse } from './list-page.ts';
import { preconditionOf } from './preconditions.ts';
import * as documented from './route-schemas.ts';
import type { ListQuery, WebsiteBody } from './schemas.ts';
import { boundUnsentLists } from './unsent-responses.ts';
import { etagOf, fromCreateBody, fromUpdateBody, toResource } from './wire.ts';

type ById = { Params: { id: string } };

/** The operations of the specification, section 4, and DELETE under its own path. They belong to the authenticated scope. */
export function websiteRoutes(app: FastifyInstance, deps: WebsiteDependencies): void {
  app.register(async (listing) => {
    const enterList = boundUnsentLists(listing);

    listing.get<{ Querystring: Static<typeof ListQuery> }>(
      '/api/v1/websites',
      { schema: documented.list, config: { mergesFaults: true } },
      async (request, reply) => {
        const page = fromListQuery(accountOf(request), request.query, shapeFaults(request));
        await enterList(request, reply, page.limit);
        const found = await listWebsites(deps, accountOf(request), page.filter, page.limit, page.position);
        const { body, linkHeader } = toListResponse(accountOf(request), '/api/v1/websites', request.query, page, found);
        if (linkHeader !== '') reply.header('link', linkHeader);
        return body;
      },
    );
  });

  app.register(async (reading) => {
    reading.get<ById>('/api/v1/websites/:id', { schema: documented.show }, async (request, reply) => {
      const website = await showWebsite(deps, accountOf(request), idOf(request));
      const etag = etagOf(website);
      reply.header('etag', etag);
      if (isNotModified(request, etag)) return reply.code(304).send();
      return { data: toResource(website) };
    });
  });

  app.register(async (writing) => {
    decodeBodies(writing);

    writing.post<{ Body: WebsiteBody }>(
      '/api/v1/websites',
      { schema: documented.create, config: { mergesFaults: true } },
      async (request, reply) => {
        const key = idempotencyKeyOf(request);
        const input = fromCreateBody(request.body, shapeFaults(request));
        if (key === undefined) return created(reply, await createWebsite(deps, accountOf(request), input));
        const { website, replayed } = await createWebsiteOnce(deps, accountOf(request), input, key);
        if (replayed) reply.header('idempotent-replayed', 'true');
        return created(reply, website);
      },
    );

    for (const [method, operationId] of [
      ['PUT', 'updateWebsitePut'],
      ['PATCH', 'updateWebsite'],
    ] as const) {
      writing.route<ById & { Body: WebsiteBody }>({
        method,
        url: '/api/v1/websites/:id',
        schema: { ...documented.update, operationId },
        config: { mergesFaults: true },
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
      ['/websites/:id/destroy', 'deleteWebsiteDestroy'],
      ['/api/v1/websites/:id', 'deleteWebsite'],
    ] as const) {
      const schema = { ...documented.remove, operationId };
      destroying.delete<ById>(url, { schema }, async (request, reply) => {
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

function created(reply: FastifyReply, website: Website) {
  reply.code(201).header('location', `/api/v1/websites/${website.id}`).header('etag', etagOf(website));
  return { data: toResource(website) };
}
