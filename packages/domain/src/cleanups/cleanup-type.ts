import { nextVersion, type Precondition, untilSettled } from '../base/versions.ts';
import type { Authored } from '../changes/entry.ts';
import type { IdempotencyRepository } from '../changes/idempotency-repository.ts';
import { segmentInputOf } from '../definitions/segments.ts';
import { type Making, resourceChange, type UpdatableType } from '../resources/resource-type.ts';
import { showResource } from '../resources/use-cases.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Cleanup, NewCleanup } from './cleanup.ts';
import type { CleanupRepository } from './cleanup-repository.ts';

interface StoredCleanups {
  readonly cleanups: CleanupRepository;
}

/** The dependencies of the use cases of cleanups. */
export interface CleanupDependencies extends StoredCleanups, Making {
  readonly idempotency: IdempotencyRepository;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

export const CLEANUP = {
  kind: 'cleanup',
  absence: 'There is no such website, or no such cleanup.',
  repository: ({ cleanups }) => cleanups,

  make({ now, newId }, input) {
    const at = now();
    return { id: newId(), ...input, status: 'applying', hidden: null, erasedAt: null, createdAt: at, updatedAt: at };
  },

  change(current, { name = current.name }, now) {
    return name === current.name ? current : { ...current, name, updatedAt: nextVersion(current, now) };
  },

  contentOf: ({ websiteId }, { name, match, filters, from, to }) => [
    'cleanup',
    websiteId,
    name,
    match,
    filters,
    from,
    to,
  ],
  nameOf: ({ name }) => name,
  fieldsOf: ({ name, match, filters, from, to }) => ({ name, ...segmentInputOf({ match, filters }), from, to }),
} satisfies UpdatableType<WebsiteKey, Cleanup, NewCleanup, { readonly name: string | undefined }, StoredCleanups>;

/** Deletes a cleanup, which hides visits until it is undone. Rejects with `not_found`, and any error of the precondition. */
export function deleteCleanup(
  deps: StoredCleanups & Authored & Making,
  website: WebsiteKey,
  id: string,
  precondition?: Precondition,
): Promise<Cleanup> {
  return untilSettled(async () => {
    const current = await showResource(deps, CLEANUP, website, id);
    precondition?.(current);
    if (current.status === 'undoing') return current;
    const undoing: Cleanup = { ...current, status: 'undoing', updatedAt: nextVersion(current, deps.now()) };
    const change = resourceChange(deps, CLEANUP, website, current, undefined);
    return (await deps.cleanups.replace(website, undoing, current.updatedAt, change)) ? undoing : undefined;
  });
}
