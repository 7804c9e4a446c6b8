import type { DefinitionKind } from '@hitherto/domain/definitions';
import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { Type } from '@sinclair/typebox';
import { idempotencyKeyHeader } from '../../requests/input.ts';
import { NoQuery, WebsiteParams } from '../../websites/schemas.ts';
import { bodyOf, ETAG, gone, IF_MATCH, IF_NONE_MATCH, notModified } from '../documented.ts';
import type { DefinitionSchemas } from './resource.ts';

/** The requests and responses of the routes of a kind. Fastify validates with them, and documents them. */
export function routeSchemasOf(kind: DefinitionKind, { create, update, one, response, list }: DefinitionSchemas) {
  const name = `${one.$id}`;
  const common = { tags: ['definitions'], querystring: NoQuery };
  const ofWebsite = { ...common, params: WebsiteParams };
  const id = Type.String({ description: `The id of the ${kind}; letter case does not matter.` });
  const ofOne = { ...common, params: Type.Object({ ...WebsiteParams.properties, [`${kind}_id`]: id }) };
  return {
    list: {
      ...ofWebsite,
      operationId: `list${name}s`,
      summary: `List the ${kind}s of a website`,
      description: 'All of them, in the order of their creation.',
      response: {
        200: accountResponse(`The ${kind}s.`, list),
        ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
      },
    },
    show: {
      ...ofOne,
      operationId: `show${name}`,
      summary: `Show a ${kind}`,
      description: `The ${kind} with its ETag. With \`If-None-Match\`, 304 if it has not changed.`,
      headers: IF_NONE_MATCH,
      response: {
        200: accountResponse(`The ${kind}.`, response, ETAG),
        304: notModified(kind),
        ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
      },
    },
    create: {
      ...ofWebsite,
      operationId: `create${name}`,
      summary: `Create a ${kind}`,
      description: `A name is unique among the ${kind}s of a website. Send an \`Idempotency-Key\` to be able to repeat a create safely.`,
      body: bodyOf(create),
      headers: {
        type: 'object',
        properties: idempotencyKeyHeader('A repeat within 24 hours gives the first response.'),
      },
      response: {
        201: accountResponse(`The ${kind} as created.`, response, {
          ...ETAG,
          location: { type: 'string', description: `The path of the ${kind}.` },
          'idempotent-replayed': { type: 'string', description: 'true if this is the first response, sent again.' },
        }),
        ...accountProblemResponses(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 431, 500, 503),
      },
    },
    update: {
      ...ofOne,
      operationId: `update${name}`,
      summary: `Update a ${kind}`,
      description: 'Fields that are not sent keep their values. Nested lists and objects are replaced whole.',
      body: bodyOf(update),
      headers: IF_MATCH,
      response: {
        200: accountResponse(`The ${kind} as it is now.`, response, ETAG),
        ...accountProblemResponses(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 431, 500, 503),
      },
    },
    remove: {
      ...ofOne,
      operationId: `delete${name}`,
      summary: `Delete a ${kind}`,
      description: `Deletes the ${kind}; nothing else changes. A second delete is 404. A segment that a shared link shows is 409.`,
      headers: IF_MATCH,
      response: {
        204: gone(kind),
        ...accountProblemResponses(400, 401, 403, 404, 408, 409, 412, 422, 429, 431, 500, 503),
      },
    },
  };
}
