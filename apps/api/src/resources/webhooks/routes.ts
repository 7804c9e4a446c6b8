import {
  createResource,
  deleteResource,
  listResources,
  showResource,
  updateResource,
} from '@hitherto/domain/resources';
import {
  type DeliverDependencies,
  listDeliveries,
  parseNewWebhook,
  parseWebhookChanges,
  retryDelivery,
  testWebhook,
  WEBHOOK,
  type Webhook,
  type WebhookDependencies,
  type WebhookInput,
} from '@hitherto/domain/webhooks';
import { InvalidRequest, ignoreBodies } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accountOf, authorOf, viewerOf } from '../../requests/authentication.ts';
import { parseBody, shapeFaults } from '../../requests/input.ts';
import { linksOf, PER_PAGE, readCursor, signCursor } from '../../requests/paging.ts';
import { etagOf } from '../../requests/versions.ts';
import { idIn, resourceRoutes } from '../resource-routes.ts';
import { DOCUMENTED } from './route-schemas.ts';
import type { DeliveryQuery } from './schemas.ts';
import { writeDelivery, writeWebhook } from './wire.ts';

const ALL = '/api/v1/webhooks';
const ONE = `${ALL}/:webhook_id`;

/** The dependencies in addition to the webhooks: sending a test. */
export interface WebhookRouteDependencies extends WebhookDependencies {
  readonly deliveries: DeliverDependencies;
}

interface OfWebhook {
  readonly Params: { readonly webhook_id: string; readonly delivery_id?: string };
}

/** Webhooks and their deliveries (webhooks.md), in the authenticated scope. */
export function webhookRoutes(app: FastifyInstance, deps: WebhookRouteDependencies): void {
  const idOf = (request: FastifyRequest) => idIn(request, 'webhook_id');
  const ownerOf = (request: FastifyRequest) => ({ accountId: accountOf(request) });
  const changing = (request: FastifyRequest) => ({ ...deps, author: authorOf(request) });

  resourceRoutes<Webhook, WebhookInput>(app, {
    all: ALL,
    one: ONE,
    documented: DOCUMENTED,
    hasState: true,

    async list(request) {
      const webhooks = await listResources(deps, WEBHOOK, ownerOf(request));
      return webhooks.map((webhook) => writeWebhook(webhook, viewerOf(request).scope));
    },

    show: (request) => showResource(deps, WEBHOOK, ownerOf(request), idOf(request)),

    async create(request) {
      const settings = parseBody(request.body, shapeFaults(request), parseNewWebhook);
      const resource = await createResource(changing(request), WEBHOOK, ownerOf(request), settings);
      return { resource, location: `${ALL}/${resource.id}`, more: { secret: resource.secret } };
    },

    update(request, precondition) {
      const changes = parseBody(request.body, shapeFaults(request), parseWebhookChanges);
      return updateResource(changing(request), WEBHOOK, ownerOf(request), idOf(request), changes, precondition);
    },

    remove: (request, precondition) =>
      deleteResource(changing(request), WEBHOOK, ownerOf(request), idOf(request), precondition),

    write: (webhook, request) => ({
      data: writeWebhook(webhook, viewerOf(request).scope),
      etag: etagOf(webhook, webhook.failingSince?.getTime()),
    }),
  });

  app.register(async (reading) => {
    reading.get<OfWebhook & { Querystring: Static<typeof DeliveryQuery> }>(
      `${ONE}/deliveries`,
      { schema: DOCUMENTED.deliveries },
      async (request, reply) => {
        const [accountId, id] = [accountOf(request), idOf(request)];
        const { per_page: limit = PER_PAGE.default, cursor, ...kept } = request.query;
        const encode = (position: string) => signCursor(accountId, [id, position]);
        const after = cursor === undefined ? undefined : decodeCursor(cursor, encode);
        const { deliveries, next } = await listDeliveries(deps, accountId, id, limit, after);
        const path = ONE.replace(':webhook_id', id);
        const parameters = { ...kept, per_page: request.query.per_page };
        const { links, header } = linksOf(`${path}/deliveries`, parameters, { next, previous: undefined }, encode);
        if (header !== undefined) reply.header('link', header);
        return { data: deliveries.map(writeDelivery), links, meta: { per_page: limit } };
      },
    );
  });

  app.register(async (withoutBody) => {
    ignoreBodies(withoutBody);

    withoutBody.post<OfWebhook>(`${ONE}/test`, { schema: DOCUMENTED.test }, async (request) => {
      return {
        data: writeDelivery(
          await testWebhook({ ...deps.deliveries, webhooks: deps.webhooks }, accountOf(request), idOf(request)),
        ),
      };
    });

    withoutBody.post<OfWebhook>(
      `${ONE}/deliveries/:delivery_id/retry`,
      { schema: DOCUMENTED.retry },
      async (request, reply) => {
        const deliveryId = request.params.delivery_id?.toLowerCase() ?? '';
        const delivery = await retryDelivery(deps, accountOf(request), idOf(request), deliveryId);
        return reply.code(202).send({ data: writeDelivery(delivery) });
      },
    );
  });
}

function decodeCursor(cursor: string, encode: (position: string) => string): string {
  const position = readCursor(cursor)[1];
  if (typeof position === 'string' && encode(position) === cursor) return position;
  const detail = 'This cursor is broken, or was made for another webhook. Start again without a cursor.';
  throw new InvalidRequest([{ field: 'cursor', code: 'invalid_cursor', detail }]);
}
