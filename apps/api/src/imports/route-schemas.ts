import { accountHeaders, accountProblemResponses, accountResponse } from '@hitherto/http';
import { NoQuery, WebsiteParams } from '../websites/schemas.ts';
import { ImportList, ImportParams, ImportQuery, ImportResponse } from './schemas.ts';

// The requests and responses of the routes. Fastify validates with them, and the OpenAPI document is made from them.

const tags = ['imports'];
const location = { location: { type: 'string', description: 'The path of the import.' } };

export const list = {
  operationId: 'listImports',
  summary: 'List the imports of a website',
  description: 'All of them, the oldest first.',
  tags,
  params: WebsiteParams,
  querystring: NoQuery,
  response: {
    200: accountResponse('The imports.', ImportList),
    ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
  },
};

export const show = {
  operationId: 'showImport',
  summary: 'Show an import',
  description: 'How far it is, or its result.',
  tags,
  params: ImportParams,
  querystring: NoQuery,
  response: {
    200: accountResponse('The import.', ImportResponse),
    ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
  },
};

export const create = {
  operationId: 'createImport',
  summary: 'Import a file',
  description:
    'The body is the file, plain or compressed, of at most 2 GiB; its media type does not matter. It is read in the background: it counts completely or not at all. The same file again is the import that is there (200).',
  tags,
  params: WebsiteParams,
  querystring: ImportQuery,
  response: {
    200: accountResponse('The file is imported already; or a dry run.', ImportResponse, location),
    202: accountResponse('The import runs.', ImportResponse, location),
    ...accountProblemResponses(400, 401, 403, 404, 408, 409, 413, 422, 429, 431, 500, 503),
  },
};

export const remove = {
  operationId: 'deleteImport',
  summary: 'Take an import out again',
  description: 'All numbers are those from before. A running import ends. A second delete is 404.',
  tags,
  params: ImportParams,
  querystring: NoQuery,
  response: {
    204: { description: 'The import is gone.', headers: accountHeaders, type: 'null' },
    ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
  },
};
