import {
  createLink,
  LINK,
  type LinkDependencies,
  type LinkInput,
  parseNewLink,
  type SharedLink,
} from '@hitherto/domain/links';
import { deleteResource, listResources } from '@hitherto/domain/resources';
import type { FastifyInstance } from 'fastify';
import { authorOf, websiteOf } from '../../requests/authentication.ts';
import { parseBody, shapeFaults } from '../../requests/input.ts';
import { idIn, resourceRoutes } from '../resource-routes.ts';
import { documented, toLinkResource } from './schemas.ts';

const ALL = '/api/v1/websites/:id/links';

/** Shared links (sharing.md, "Shared links"), in the authenticated scope. */
export function linkRoutes(app: FastifyInstance, deps: LinkDependencies): void {
  resourceRoutes<SharedLink, LinkInput>(app, {
    all: ALL,
    one: `${ALL}/:link_id`,
    documented,
    list: async (request) => (await listResources(deps, LINK, websiteOf(request))).map(toLinkResource),

    async create(request) {
      const input = parseBody(request.body, shapeFaults(request), (body) => parseNewLink(body, deps.now()));
      const { link, token } = await createLink({ ...deps, author: authorOf(request) }, websiteOf(request), input);
      return { resource: link, more: { address: `/share/${token}` } };
    },

    remove(request) {
      const deleting = { ...deps, author: authorOf(request) };
      return deleteResource(deleting, LINK, websiteOf(request), idIn(request, 'link_id'));
    },

    write: (link) => ({ data: toLinkResource(link) }),
  });
}
