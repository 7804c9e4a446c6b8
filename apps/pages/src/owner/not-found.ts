import { DomainError } from '@hitherto/domain/base';

/** Whether something does not exist, or no longer. */
export function isNotFound(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'not_found';
}

/** Waits for a deletion. What is gone counts as deleted: a form that is sent twice does the same as one that is sent once. */
export async function deleteOnce(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
