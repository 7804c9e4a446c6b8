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
import { BODY_LIMIT, decodeJsonBodies, InvalidRequest, ignoreBodies, isNotModified } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf, authorOf, keyOf } from '../requests/authentication.ts';
import { parseBody, shapeFaults } from '../requests/input.ts';
import { linksOf, PER_PAGE, readCursor, signCursor } from '../requests/paging.ts';
import { etagOf, preconditionOf, withoutState } from '../requests/versions.ts';
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
  const idOf = ({ params }: FastifyRequest<OfWebhook>) => params.webhook_id.toLowerCase();
  const changing = (request: FastifyRequest) => ({ ...deps, author: authorOf(request) });
  const tagOf = (webhook: Webhook) => etagOf(webhook, webhook.failingSince?.getTime());
  const shown = (request: FastifyRequest, reply: FastifyReply, webhook: Webhook) => {
    reply.header('etag', tagOf(webhook));
    return { data: writeWebhook(webhook, keyOf(request).scope) };
  };

  app.register(async (reading) => {
    reading.get(ALL, { schema: DOCUMENTED.list }, async (request) => {
      const webhooks = await listResources(deps, WEBHOOK, { accountId: accountOf(request) });
      return { data: webhooks.map((webhook) => writeWebhook(webhook, keyOf(request).scope)) };
    });

    reading.get<OfWebhook>(ONE, { schema: DOCUMENTED.show }, async (request, reply) => {
      const webhook = await showResource(deps, WEBHOOK, { accountId: accountOf(request) }, idOf(request));
      if (!isNotModified(request, tagOf(webhook))) return shown(request, reply, webhook);
      return reply.header('etag', tagOf(webhook)).code(304).send();
    });

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

  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);

    writing.post<{ Body: WebhookInput }>(
      ALL,
      { schema: DOCUMENTED.create, config: { mergesFaults: true } },
      async (request, reply) => {
        const settings = parseBody(request.body, shapeFaults(request), parseNewWebhook);
        const webhook = await createResource(changing(request), WEBHOOK, { accountId: accountOf(request) }, settings);
        reply.code(201).header('location', `${ALL}/${webhook.id}`);
        return { data: { ...shown(request, reply, webhook).data, secret: webhook.secret } };
      },
    );

    writing.patch<OfWebhook & { Body: WebhookInput }>(
      ONE,
      { schema: DOCUMENTED.update, config: { mergesFaults: true } },
      async (request, reply) => {
        const changes = parseBody(request.body, shapeFaults(request), parseWebhookChanges);
        const precondition = preconditionOf(request, withoutState);
        return shown(
          request,
          reply,
          await updateResource(
            changing(request),
            WEBHOOK,
            { accountId: accountOf(request) },
            idOf(request),
            changes,
            precondition,
          ),
        );
      },
    );
  });

  app.register(async (withoutBody) => {
    ignoreBodies(withoutBody);

    withoutBody.delete<OfWebhook>(ONE, { schema: DOCUMENTED.remove }, async (request, reply) => {
      const precondition = preconditionOf(request, withoutState);
      await deleteResource(changing(request), WEBHOOK, { accountId: accountOf(request) }, idOf(request), precondition);
      return reply.code(204).send();
    });

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
