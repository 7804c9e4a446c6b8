import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { NoQuery, WebsiteParams } from '../../websites/schemas.ts';
import { bodyOf, ETAG, gone, IF_MATCH, IF_NONE_MATCH, notModified } from '../documented.ts';
import * as schemas from './schemas.ts';

const common = { tags: ['alerts'], querystring: NoQuery };
const ofWebsite = { ...common, params: WebsiteParams };
const ofOne = { ...common, params: schemas.AlertParams };

/** The requests and responses of the routes. Fastify validates with them, and documents them. */
export const DOCUMENTED = {
  list: {
    ...ofWebsite,
    operationId: 'listAlerts',
    summary: 'List the alerts of a website',
    description: 'All of them, in the order of their creation.',
    response: {
      200: accountResponse('The alerts.', schemas.AlertList),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
  show: {
    ...ofOne,
    operationId: 'showAlert',
    summary: 'Show an alert',
    description: 'The alert with its ETag. With `If-None-Match`, 304 if it has not changed.',
    headers: IF_NONE_MATCH,
    response: {
      200: accountResponse('The alert.', schemas.AlertResponse, ETAG),
      304: notModified('alert'),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
  create: {
    ...ofWebsite,
    operationId: 'createAlert',
    summary: 'Create an alert',
    description: 'Send the fields that the rule uses. A website has at most 20 alerts.',
    body: bodyOf(schemas.CreateAlert),
    response: {
      201: accountResponse('The alert as created.', schemas.AlertResponse, {
        ...ETAG,
        location: { type: 'string', description: 'The path of the alert.' },
      }),
      ...accountProblemResponses(400, 401, 403, 404, 408, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  update: {
    ...ofOne,
    operationId: 'updateAlert',
    summary: 'Update an alert',
    description: 'Fields that are not sent keep their values; null clears one. The rule cannot change.',
    body: bodyOf(schemas.UpdateAlert),
    headers: IF_MATCH,
    response: {
      200: accountResponse('The alert as it is now.', schemas.AlertResponse, ETAG),
      ...accountProblemResponses(400, 401, 403, 404, 408, 412, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  remove: {
    ...ofOne,
    operationId: 'deleteAlert',
    summary: 'Delete an alert',
    description: 'Deletes the alert; nothing else changes. A second delete is 404.',
    headers: IF_MATCH,
    response: {
      204: gone('alert'),
      ...accountProblemResponses(400, 401, 403, 404, 408, 412, 422, 429, 431, 500, 503),
    },
  },
} as const;
