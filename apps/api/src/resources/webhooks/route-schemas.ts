import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { NoQuery } from '../../websites/schemas.ts';
import { bodyOf, gone, IF_MATCH, IF_NONE_MATCH, notModified } from '../documented.ts';
import * as schemas from './schemas.ts';

const tags = ['webhooks'];
const etag = { etag: { type: 'string', description: 'Strong; changes with every change of the settings.' } };
const ofAccount = { tags, querystring: NoQuery };
const ofWebhook = { ...ofAccount, params: schemas.WebhookParams };

/** The requests and responses of the routes. Fastify validates with them, and documents them. */
export const DOCUMENTED = {
  list: {
    ...ofAccount,
    operationId: 'listWebhooks',
    summary: 'List the webhooks of the account',
    description: 'All of them, in the order of their creation, without their secrets.',
    response: {
      200: accountResponse('The webhooks.', schemas.WebhookList),
      ...accountProblemResponses(400, 401, 403, 408, 422, 429, 431, 500, 503),
    },
  },
  show: {
    ...ofWebhook,
    operationId: 'showWebhook',
    summary: 'Show a webhook',
    description: 'The webhook with its ETag, without its secret. With `If-None-Match`, 304 if it has not changed.',
    headers: IF_NONE_MATCH,
    response: {
      200: accountResponse('The webhook.', schemas.WebhookResponse, etag),
      304: notModified('webhook', etag),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
  create: {
    ...ofAccount,
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description: 'An account has at most 20. The response shows the secret, and no other does.',
    body: bodyOf(schemas.CreateWebhook),
    response: {
      201: accountResponse('The webhook as created, with its secret.', schemas.CreatedWebhook, {
        ...etag,
        location: { type: 'string', description: 'The path of the webhook.' },
      }),
      ...accountProblemResponses(400, 401, 403, 408, 409, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  update: {
    ...ofWebhook,
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    description:
      'Fields that are not sent keep their values; lists are replaced whole. Turned off, its waiting deliveries have failed.',
    body: bodyOf(schemas.UpdateWebhook),
    headers: IF_MATCH,
    response: {
      200: accountResponse('The webhook as it is now.', schemas.WebhookResponse, etag),
      ...accountProblemResponses(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  remove: {
    ...ofWebhook,
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes the webhook with its deliveries. A second delete is 404.',
    headers: IF_MATCH,
    response: {
      204: gone('webhook'),
      ...accountProblemResponses(400, 401, 403, 404, 408, 412, 422, 429, 431, 500, 503),
    },
  },
  test: {
    ...ofWebhook,
    operationId: 'testWebhook',
    summary: 'Send a test to a webhook',
    description: 'Sends an event `webhook.test` once, and waits for the outcome, at most 10 seconds.',
    response: {
      200: accountResponse('What became of the test.', schemas.DeliveryResponse),
      ...accountProblemResponses(400, 401, 403, 404, 408, 409, 422, 429, 431, 500, 503),
    },
  },
  deliveries: {
    ...ofWebhook,
    querystring: schemas.DeliveryQuery,
    operationId: 'listDeliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Those of the last 30 days, newest first. Follow `links.next` until it is null.',
    response: {
      200: accountResponse('A page of deliveries.', schemas.DeliveryList, {
        link: { type: 'string', description: 'The same links (RFC 8288).' },
      }),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
  retry: {
    ...ofAccount,
    params: schemas.DeliveryParams,
    operationId: 'retryDelivery',
    summary: 'Deliver again',
    description: 'Makes a delivery due now, whatever its state. It has the same id.',
    response: {
      202: accountResponse('The delivery, which is pending.', schemas.DeliveryResponse),
      ...accountProblemResponses(400, 401, 403, 404, 408, 409, 422, 429, 431, 500, 503),
    },
  },
} as const;
