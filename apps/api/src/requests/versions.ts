import { DomainError, type Precondition, type Versioned } from '@hitherto/domain/base';
import { isNotModified, readEntityTags } from '@hitherto/http';
import type { FastifyRequest } from 'fastify';

/**
 * The strong entity tag of a resource. It changes with every change, because `updatedAt` does.
 *
 * @param state a number for the state that the resource shows but no client changes; without it, the usual state
 */
export function etagOf({ updatedAt }: Versioned, state?: number): string {
  return `"${updatedAt.getTime().toString(36)}${state === undefined ? '' : `-${state.toString(36)}`}"`;
}

/** The tag of the same version in its usual state: a change does not depend on the state. */
export function withoutState(etag: string): string {
  return etag.replace(/-[\da-z]+"$/, '"');
}

/**
 * The precondition of a request that changes a resource, if any: `If-Match` holds for `*` and for the same strong tag,
 * `If-None-Match` for every other tag (RFC 9110, section 13.1).
 *
 * @param versionOf the tag that decides, of a sent one: {@link withoutState} for resources with a state
 */
export function preconditionOf(
  request: FastifyRequest,
  versionOf = (etag: string): string => etag,
): Precondition | undefined {
  const header = request.headers['if-match'];
  if (header === undefined && request.headers['if-none-match'] === undefined) return undefined;
  const tags = header === undefined ? '*' : readEntityTags(header);
  return (current) => {
    const etag = etagOf(current);
    const matches = tags === '*' || (tags?.some((tag) => versionOf(tag) === etag) ?? false);
    if (matches && !isNotModified(request, etag)) return;
    throw new DomainError(
      'precondition_failed',
      'The current version of the resource does not match the condition of the request.',
    );
  };
}
