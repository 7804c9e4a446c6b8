import { DomainError, type Precondition, type Versioned } from '@hitherto/domain/base';
import type { Authored } from '@hitherto/domain/changes';
import { type Making, type Owner, type Resource, type UpdatableType, updateResource } from '@hitherto/domain/resources';

/** The version of a stored resource, for the form that changes it; `undefined` where nothing can change. */
export function versionOf({ updatedAt }: Pick<Resource, 'updatedAt'>): string | undefined {
  return updatedAt?.toISOString();
}

/** Rejects writes to another version than the one that a form has; without one, whatever is stored is replaced. */
export function requireVersion(version: string | undefined): (current: Pick<Resource, 'updatedAt'>) => void {
  return (current) => {
    if (version !== undefined && versionOf(current) !== version) {
      throw new DomainError('precondition_failed', 'It was changed elsewhere.');
    }
  };
}

/** Whether a form was rejected because it has another version than the stored one. */
export function isStale(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'precondition_failed';
}

/** Updates a resource, unless the changes are stored already: a form that is sent twice does the same as one that is sent once. */
export async function updateOnce<Own extends Owner, Stored extends Resource & Versioned, Changes, Deps>(
  deps: Deps & Authored & Making,
  type: UpdatableType<Own, Stored, never, Changes, Deps>,
  owner: Own,
  stored: Stored,
  changes: Changes,
  precondition: Precondition,
): Promise<void> {
  if (type.change(stored, changes, deps.now()) === stored) return;
  await updateResource(deps, type, owner, stored.id, changes, precondition);
}
