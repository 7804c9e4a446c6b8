import { allowanceHeaders, problemResponses, requestIdHeader } from '@hitherto/http';
import { NoQuery, WebsiteParams } from '../websites/schemas.ts';
import { CollectHitsBody, CollectHitsResponse, ExplainHitBody, ExplainHitResponse } from './schemas.ts';

const headers = { ...requestIdHeader, ...allowanceHeaders };
const tags = ['hits'];
const body = ({ $id }: { $id?: string }) => ({ content: { 'application/json': { schema: { $ref: `${$id}#` } } } });
const response = (description: string, { $id }: { $id?: string }, more: object = {}) => ({
  description,
  headers: { ...headers, ...more },
  content: { 'application/json': { schema: { $ref: `${$id}#` } } },
});

export const collect = {
  operationId: 'collectHits',
  summary: 'Send hits from a server',
  description:
    'Stores a batch of hits, of any websites of the account, whole or not at all. It responds once they are committed to disk. A missing user agent is no bot here.',
  tags,
  body: body(CollectHitsBody),
  querystring: NoQuery,
  headers: {
    type: 'object',
    properties: {
      'idempotency-key': {
        type: 'string',
        description:
          '1 to 255 visible ASCII characters; a repeat within 48 hours gives the first response and counts once.',
      },
    },
  },
  response: {
    202: response('How many hits count, and which do not.', CollectHitsResponse, {
      'idempotent-replayed': { type: 'string', description: 'true where this is the first response, sent again.' },
    }),
    ...problemResponses(400, 401, 403, 408, 413, 415, 422, 429, 431, 500, 503),
  },
};

export const explain = {
  operationId: 'explainHit',
  summary: 'Explain what would happen to a hit',
  description:
    'Says whether a hit would count, by which rule it would be dropped, and what would be kept of it. Nothing is stored. A missing user agent is judged as a browser’s. A key of scope "read" may do this.',
  tags,
  params: WebsiteParams,
  body: body(ExplainHitBody),
  querystring: NoQuery,
  response: {
    200: response('What would happen.', ExplainHitResponse),
    ...problemResponses(400, 401, 403, 404, 408, 413, 415, 422, 429, 431, 500, 503),
  },
};
