import type { FastifyRequest } from 'fastify';

const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** The entity tags of a header (RFC 9110, section 8.8.3), `'*'`, or `undefined` if it is malformed. */
export function readEntityTags(header: string): readonly string[] | '*' | undefined {
  if (header.trim() === '*') return '*';
  // Each tag becomes a character that no header can contain.
  const list = header.replace(ENTITY_TAG, '\0').replace(/[ \t]/g, '');
  return /^,*\0(?:,+\0)*,*$/.test(list) ? (header.match(ENTITY_TAG) ?? undefined) : undefined;
}

/**
 * Whether `If-None-Match` matches the requested resource, so that the client's copy is still current (section 13.1.2).
 *
 * @param etag the strong entity tag of the current state
 */
export function isNotModified(request: FastifyRequest, etag: string): boolean {
  const header = request.headers['if-none-match'];
  if (header === undefined) return false;
  const tags = readEntityTags(header);
  if (tags === undefined) return false;
  return tags === '*' || tags.some((tag) => tag.replace(/^W\//, '') === etag);
}
