import { accountHeaders, accountProblemResponses, accountResponse } from '@hitherto/http';
import { idempotencyKeyHeader } from '../requests/input.ts';
import {
  CreateForm,
  CreateJson,
  ListQuery,
  ListResponse,
  NoQuery,
  UpdateForm,
  UpdateJson,
  WebsiteParams,
  WebsiteResponse,
} from './schemas.ts';

// The request and responses of each route. Fastify validates with them, and the OpenAPI document is made from them.

const tags = ['websites'];
const bodies = (json: { $id?: string }, form: { $id?: string }) => ({
  content: {
    'application/x-www-form-urlencoded': { schema: { $ref: `${form.$id}#` } },
    'application/json': { schema: { $ref: `${json.$id}#` } },
  },
});

export const etag = { etag: { type: 'string', description: 'Strong; changes with every change of the website.' } };
export const ifMatch = {
  'if-match': {
    type: 'string',
    description: 'The ETag that the website must still have, else 412.',
  },
} as const;

export const list = {
  operationId: 'listWebsites',
  summary: 'List websites',
  description:
    'A page of the websites of the account. Follow `links.next` until it is null to see every website exactly once.',
  tags,
  querystring: ListQuery,
  response: {
    200: accountResponse('A page of websites.', ListResponse, {
      link: { type: 'string', description: 'The same links (RFC 8288), if they are short enough.' },
    }),
    ...accountProblemResponses(400, 401, 403, 408, 422, 429, 431, 500, 503),
  },
};

export const show = {
  operationId: 'showWebsite',
  summary: 'Show a website',
  description: 'The settings of a website, with its ETag. With `If-None-Match`, 304 if they have not changed.',
  tags,
  params: WebsiteParams,
  querystring: NoQuery,
  headers: {
    type: 'object',
    properties: { 'if-none-match': { type: 'string', description: 'The ETag of the copy that the client has.' } },
  },
  response: {
    200: accountResponse('The website.', WebsiteResponse, etag),
    304: {
      description: 'The website has not changed since the ETag in If-None-Match.',
      headers: { ...accountHeaders, ...etag },
      type: 'null',
    },
    ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
  },
};

export const create = {
  operationId: 'createWebsite',
  summary: 'Create a website',
  description:
    'Fields that are not sent get their defaults. An address is unique within the account. Send an `Idempotency-Key` to be able to repeat a create safely.',
  tags,
  body: bodies(CreateJson, CreateForm),
  querystring: NoQuery,
  headers: {
    type: 'object',
    properties: idempotencyKeyHeader('A repeat within 24 hours gives the first response.'),
  },
  response: {
    201: accountResponse('The website as created.', WebsiteResponse, {
      ...etag,
      location: { type: 'string', description: 'The path of the website.' },
      'idempotent-replayed': { type: 'string', description: 'true if this is the first response, sent again.' },
    }),
    ...accountProblemResponses(400, 401, 403, 408, 409, 413, 415, 422, 429, 431, 500, 503),
  },
};

export const update = {
  summary: 'Update a website',
  description:
    'PUT and PATCH do the same: fields that are not sent keep their values, and an empty string (in JSON also null) clears a field. No defaults are applied.',
  tags,
  params: WebsiteParams,
  body: bodies(UpdateJson, UpdateForm),
  querystring: NoQuery,
  headers: { type: 'object', properties: ifMatch },
  response: {
    200: accountResponse('The website as it is now.', WebsiteResponse, etag),
    ...accountProblemResponses(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 431, 500, 503),
  },
};

export const remove = {
  summary: 'Delete a website',
  description: 'Deletes the website with its statistics. A second delete is 404.',
  tags,
  params: WebsiteParams,
  querystring: NoQuery,
  headers: { type: 'object', properties: ifMatch },
  response: {
    204: { description: 'The website is gone.', headers: accountHeaders, type: 'null' },
    ...accountProblemResponses(400, 401, 403, 404, 408, 412, 422, 429, 431, 500, 503),
  },
};
