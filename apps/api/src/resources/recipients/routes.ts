import { parseNewRecipient, RECIPIENT, type Recipient, type RecipientDependencies } from '@hitherto/domain/recipients';
import { createResource, deleteResource, listResources } from '@hitherto/domain/resources';
import type { FastifyInstance } from 'fastify';
import { authorOf, websiteOf } from '../../requests/authentication.ts';
import { parseBody, shapeFaults } from '../../requests/input.ts';
import { idIn, resourceRoutes } from '../resource-routes.ts';
import { documented, toRecipientResource } from './schemas.ts';

const ALL = '/api/v1/websites/:id/recipients';

/** Further recipients of reports (reports.md), in the authenticated scope. */
export function recipientRoutes(app: FastifyInstance, deps: RecipientDependencies): void {
  resourceRoutes<Recipient, { readonly email?: string }>(app, {
    all: ALL,
    one: `${ALL}/:recipient_id`,
    documented,
    list: async (request) =>
      (await listResources(deps, RECIPIENT, websiteOf(request))).map((each) => toRecipientResource(each)),

    async create(request) {
      const input = parseBody(request.body, shapeFaults(request), parseNewRecipient);
      const adding = { ...deps, author: authorOf(request) };
      return { resource: await createResource(adding, RECIPIENT, websiteOf(request), input) };
    },

    remove(request) {
      const deleting = { ...deps, author: authorOf(request) };
      return deleteResource(deleting, RECIPIENT, websiteOf(request), idIn(request, 'recipient_id'));
    },

    write: (recipient) => ({ data: toRecipientResource(recipient) }),
  });
}
