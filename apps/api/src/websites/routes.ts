import {
  createWebsite,
  createWebsiteOnce,
  deleteWebsite,
  listWebsites,
  MAX_LISTED_BYTES,
  showWebsite,
  updateWebsite,
  type Website,
  type WebsiteDependencies,
} from '@hitherto/domain/websites';
import { decodeBodies, ignoreBodies, isNotModified } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf, authorOf, viewerOf } from '../requests/authentication.ts';
import { idempotencyKeyOf, shapeFaults, websiteIdOf } from '../requests/input.ts';
import type { EnterList } from '../requests/unsent-lists.ts';
import { etagOf, preconditionOf } from '../requests/versions.ts';
import { fromListQuery, toListResponse } from './list-page.ts';
import * as documented from './route-schemas.ts';
import type { ListQuery, WebsiteBody } from './schemas.ts';
import { fromCreateBody, fromUpdateBody, tagOf, toResource } from './wire.ts';

type ById = { Params: { id: string } };

/** About the most bytes of a website in a response: its lists, and the rest. */
const MAX_WEBSITE_BYTES = MAX_LISTED_BYTES + 4_096;

/** The operations of the specification (api.md), and DELETE under its own path. They belong to the authenticated scope. */
export function websiteRoutes(app: FastifyInstance, deps: WebsiteDependencies, enterList: EnterList): void {
  app.register(async (listing) => {
    listing.get<{ Querystring: Static<typeof ListQuery> }>(
      '/api/v1/websites',
      { schema: documented.list, config: { mergesFaults: true } },
      async (request, reply) => {
        const viewer = viewerOf(request);
        const { accountId } = viewer;
        const list = fromListQuery(accountId, request.query, shapeFaults(request));
        await enterList(request, reply, list.limit * MAX_WEBSITE_BYTES);
        const page = await listWebsites(deps, viewer, list.filter, list.limit, list.position);
        const { body, linkHeader } = toListResponse(viewer, '/api/v1/websites', request.query, list, page);
        if (linkHeader !== undefined) reply.header('link', linkHeader);
        return body;
      },
    );
  });

  app.register(async (reading) => {
    reading.get<ById>('/api/v1/websites/:id', { schema: documented.show }, async (request, reply) => {
      const viewer = viewerOf(request);
      const website = await showWebsite(deps, viewer, websiteIdOf(request.params));
      const etag = tagOf(website, viewer);
      reply.header('etag', etag);
      if (isNotModified(request, etag)) return reply.code(304).send();
      return { data: toResource(website, viewer) };
    });
  });

  app.register(async (writing) => {
    decodeBodies(writing);

    writing.post<{ Body: WebsiteBody }>(
      '/api/v1/websites',
      { schema: documented.create, config: { action: 'add_and_delete_websites', mergesFaults: true } },
      async (request, reply) => {
        const key = idempotencyKeyOf(request);
        const input = fromCreateBody(request.body, shapeFaults(request));
        const creating = { ...deps, author: authorOf(request) };
        if (key === undefined) return created(request, reply, await createWebsite(creating, accountOf(request), input));
        const { resource, replayed } = await createWebsiteOnce(creating, accountOf(request), input, key);
        if (replayed) reply.header('idempotent-replayed', 'true');
        return created(request, reply, resource);
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
          const website = await updateWebsite(
            { ...deps, author: authorOf(request) },
            viewerOf(request),
            websiteIdOf(request.params),
            changes,
            precondition,
          );
          reply.header('etag', etagOf(website));
          return { data: toResource(website, viewerOf(request)) };
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
      destroying.delete<ById>(
        url,
        { schema, config: { action: 'add_and_delete_websites' } },
        async (request, reply) => {
          const deleting = { ...deps, author: authorOf(request) };
          await deleteWebsite(deleting, viewerOf(request), websiteIdOf(request.params), preconditionOf(request));
          return reply.code(204).send();
        },
      );
    }
  });
}

function created(request: FastifyRequest, reply: FastifyReply, website: Website) {
  reply.code(201).header('location', `/api/v1/websites/${website.id}`).header('etag', etagOf(website));
  return { data: toResource(website, viewerOf(request)) };
}
