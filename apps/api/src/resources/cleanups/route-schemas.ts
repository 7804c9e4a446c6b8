import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { Type } from '@sinclair/typebox';
import { idempotencyKeyHeader } from '../../requests/input.ts';
import { NoQuery, WebsiteParams } from '../../websites/schemas.ts';
import { bodyOf, ETAG, IF_MATCH, IF_NONE_MATCH, notModified } from '../documented.ts';
import { NAMED } from './schemas.ts';

const ofWebsite = { tags: ['cleanups'], querystring: NoQuery, params: WebsiteParams };
const id = Type.String({ description: 'The id of the cleanup; letter case does not matter.' });
const ofOne = { ...ofWebsite, params: Type.Object({ ...WebsiteParams.properties, cleanup_id: id }) };

/** The requests and responses of the routes of cleanups. Fastify validates with them, and documents them. */
export const documented = {
  list: {
    ...ofWebsite,
    operationId: 'listCleanups',
    summary: 'List the cleanups of a website',
    description: 'All of them, in the order of their creation.',
    response: {
      200: accountResponse('The cleanups.', NAMED.CleanupList),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
  show: {
    ...ofOne,
    operationId: 'showCleanup',
    summary: 'Show a cleanup',
    description: 'The cleanup with its ETag. With `If-None-Match`, 304 if it has not changed.',
    headers: IF_NONE_MATCH,
    response: {
      200: accountResponse('The cleanup.', NAMED.CleanupResponse, ETAG),
      304: notModified('cleanup'),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
  preview: {
    ...ofWebsite,
    operationId: 'previewCleanup',
    summary: 'Preview a cleanup',
    description: 'What a cleanup would hide, of the days whose hits are kept. Stores nothing.',
    body: bodyOf(NAMED.PreviewCleanup),
    response: {
      200: accountResponse('The numbers before and after.', NAMED.PreviewResponse),
      ...accountProblemResponses(400, 401, 403, 404, 408, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  create: {
    ...ofWebsite,
    operationId: 'createCleanup',
    summary: 'Create a cleanup',
    description:
      'Hides the visits that the filters select, from all numbers of the website. It is applied soon; until then, its status is applying. Send an `Idempotency-Key` to be able to repeat a create safely.',
    body: bodyOf(NAMED.CreateCleanup),
    headers: {
      type: 'object',
      properties: idempotencyKeyHeader('A repeat within 24 hours gives the first response.'),
    },
    response: {
      202: accountResponse('The cleanup, which is being applied.', NAMED.CleanupResponse, {
        ...ETAG,
        location: { type: 'string', description: 'The path of the cleanup.' },
        'idempotent-replayed': { type: 'string', description: 'true if this is the first response, sent again.' },
      }),
      ...accountProblemResponses(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  update: {
    ...ofOne,
    operationId: 'updateCleanup',
    summary: 'Rename a cleanup',
    description: 'Only the name can change: delete a cleanup and create another to hide other visits.',
    body: bodyOf(NAMED.UpdateCleanup),
    headers: IF_MATCH,
    response: {
      200: accountResponse('The cleanup as it is now.', NAMED.CleanupResponse, ETAG),
      ...accountProblemResponses(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  erase: {
    ...ofOne,
    operationId: 'eraseCleanup',
    summary: 'Delete hidden hits',
    description:
      'Deletes the hits that the cleanup hides for good, such as those of pages with personal data; its status is erasing until then. The numbers stay, the cleanup goes on hiding later hits, and nothing brings the deleted ones back.',
    headers: IF_MATCH,
    response: {
      202: accountResponse('The cleanup, whose hits are being deleted.', NAMED.CleanupResponse, ETAG),
      ...accountProblemResponses(400, 401, 403, 404, 408, 409, 412, 422, 429, 431, 500, 503),
    },
  },
  remove: {
    ...ofOne,
    operationId: 'deleteCleanup',
    summary: 'Undo a cleanup',
    description: 'Its visits count again soon; until then, its status is undoing. Then it is 404.',
    headers: IF_MATCH,
    response: {
      202: accountResponse('The cleanup, which is being undone.', NAMED.CleanupResponse, ETAG),
      ...accountProblemResponses(400, 401, 403, 404, 408, 409, 412, 422, 429, 431, 500, 503),
    },
  },
};
