import { accountHeaders } from '@hitherto/http';

// The parts of requests and responses that the documentation of all kinds of resources has.

/** The entity tag of a response. */
export const ETAG = { etag: { type: 'string', description: 'Strong; changes with every change.' } };

/** The headers of a request that changes a resource. */
export const IF_MATCH = {
  type: 'object',
  properties: { 'if-match': { type: 'string', description: 'The ETag that it must still have, else 412.' } },
};

/** The headers of a request that shows a resource. */
export const IF_NONE_MATCH = {
  type: 'object',
  properties: { 'if-none-match': { type: 'string', description: 'The ETag of the copy that the client has.' } },
};

/** The body of a request, whose schema is referenced by name. */
export function bodyOf({ $id }: { readonly $id?: string }) {
  return { content: { 'application/json': { schema: { $ref: `${$id}#` } } } };
}

/** The response that a resource has not changed. */
export function notModified(name: string, etag = ETAG) {
  return {
    description: `The ${name} has not changed since the ETag in If-None-Match.`,
    headers: { ...accountHeaders, ...etag },
    type: 'null',
  };
}

/** The response to a deletion. */
export function gone(name: string) {
  return { description: `The ${name} is gone.`, headers: accountHeaders, type: 'null' };
}
