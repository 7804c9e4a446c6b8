import { DomainError } from '@hitherto/domain/base';
import type { DirectoryEntry, WebsiteDirectory } from '@hitherto/domain/websites';

/** The website with this id, which may be typed in upper case. Throws `not_found` if there is none. */
export async function requireWebsite(
  directory: Pick<WebsiteDirectory, 'findById'>,
  id: string,
): Promise<DirectoryEntry> {
  const entry = await directory.findById(id.toLowerCase());
  if (entry === undefined) throw new DomainError('not_found', 'There is no website with this id.');
  return entry;
}
