import { DomainError, type Precondition, type Versioned } from '@hitherto/domain/base';

/** The version of a stored object, for the form that changes it. */
export function versionOf({ updatedAt }: Versioned): string {
  return updatedAt.toISOString();
}

/** Rejects writes to another version than the one that a form has; without one, whatever is stored is replaced. */
export function requireVersion(version: string | undefined): Precondition {
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
