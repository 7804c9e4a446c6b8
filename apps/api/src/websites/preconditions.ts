import { DomainError, type Precondition } from '@hitherto/domain';
import { isNotModified, readEntityTags } from '@hitherto/http';
import type { FastifyRequest } from 'fastify';
import { etagOf } from './wire.ts';

/**
 * The precondition of a request that changes a website, if any: `If-Match` holds for `*` and for the same strong tag,
 * `If-None-Match` for every other tag (RFC 9110, section 13.1).
 */
export function preconditionOf(request: FastifyRequest): Precondition | undefined {
  const header = request.headers['if-match'];
  if (header === undefined && request.headers['if-none-match'] === undefined) return undefined;
  const tags = header === undefined ? '*' : readEntityTags(header);
  return (website) => {
    const etag = etagOf(website);
    const matches = tags === '*' || (tags?.includes(etag) ?? false);
    if (matches && !isNotModified(request, etag)) return;
    throw new DomainError(
      'precondition_failed',
      'The current version of the website does not match the condition of the request.',
    );
  };
}
