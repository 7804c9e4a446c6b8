import { DomainError, type Precondition, type Website } from '@hitherto/domain';
import type { FastifyRequest } from 'fastify';
import { etagOf } from './wire.ts';

const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** The entity tags of a header (RFC 9110, section 8.8.3), `'*'`, or `undefined` if it is malformed. */
function readTags(header: string): readonly string[] | '*' | undefined {
  if (header.trim() === '*') return '*';
  // Each tag becomes a character that no header can contain.
  const list = header.replace(ENTITY_TAG, '\0').replace(/[ \t]/g, '');
  return /^,*\0(?:,+\0)*,*$/.test(list) ? (header.match(ENTITY_TAG) ?? undefined) : undefined;
}

/** Whether `If-None-Match` matches the website, so that the client's copy is still current (section 13.1.2). */
export function isNotModified(request: FastifyRequest, website: Website): boolean {
  const header = request.headers['if-none-match'];
  if (header === undefined) return false;
  const tags = readTags(header);
  if (tags === undefined) return false;
  return tags === '*' || tags.some((tag) => tag.replace(/^W\//, '') === etagOf(website));
}

/**
 * The precondition of a request that changes a website, if any: `If-Match` holds for `*` and for the same strong tag,
 * `If-None-Match` for every other tag (RFC 9110, section 13.1).
 */
export function preconditionOf(request: FastifyRequest): Precondition | undefined {
  const header = request.headers['if-match'];
  if (header === undefined && request.headers['if-none-match'] === undefined) return undefined;
  const tags = header === undefined ? '*' : readTags(header);
  return (website) => {
    const matches = tags === '*' || (tags?.includes(etagOf(website)) ?? false);
    if (matches && !isNotModified(request, website)) return;
    throw new DomainError(
      'precondition_failed',
      'The current version of the website does not match the condition of the request.',
    );
  };
}
