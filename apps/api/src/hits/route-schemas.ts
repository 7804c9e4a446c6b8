import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { idempotencyKeyHeader } from '../requests/input.ts';
import { NoQuery, WebsiteParams } from '../websites/schemas.ts';
import { CollectHitsBody, CollectHitsResponse, ExplainHitBody, ExplainHitResponse } from './schemas.ts';

const tags = ['hits'];
const body = ({ $id }: { $id?: string }) => ({ content: { 'application/json': { schema: { $ref: `${$id}#` } } } });

export const collect = {
  operationId: 'collectHits',
  summary: 'Send hits from a server',
  description:
    "Stores a batch of hits for any of the account's websites, all or none, and responds once they are committed to disk. A hit without a user agent does not count as one of a bot here.",
  tags,
  body: body(CollectHitsBody),
  querystring: NoQuery,
  headers: {
    type: 'object',
    properties: idempotencyKeyHeader('A repeat within 48 hours gives the first response and counts once.'),
  },
  response: {
    202: accountResponse('How many hits were counted, and which were not.', CollectHitsResponse, {
      'idempotent-replayed': { type: 'string', description: 'true if this is the first response, sent again.' },
    }),
    ...accountProblemResponses(400, 401, 403, 408, 413, 415, 422, 429, 431, 500, 503),
  },
};

export const explain = {
  operationId: 'explainHit',
  summary: 'Tell whether a hit would count',
  description:
    'Says whether a hit would count, which rule would drop it, and which of its details would be stored. Nothing is stored. A hit without a user agent is judged like one from a browser. A key with scope "read" is enough.',
  tags,
  params: WebsiteParams,
  body: body(ExplainHitBody),
  querystring: NoQuery,
  response: {
    200: accountResponse('Whether it would count, and why.', ExplainHitResponse),
    ...accountProblemResponses(400, 401, 403, 404, 408, 413, 415, 422, 429, 431, 500, 503),
  },
};
