import { UrlTaken } from '../base/errors.ts';
import { type Precondition, untilSettled } from '../base/versions.ts';
import type { Authored } from '../changes/entry.ts';
import type { WebsiteDependencies } from './create-website.ts';
import { rejectForeignAliases } from './names.ts';
import { type Reach, reaches } from './reach.ts';
import { changeWebsite, type Website, type WebsiteChanges, websiteNotFound } from './website.ts';
import { websiteChange } from './website-change.ts';
import type { WebsiteDirectory } from './website-directory.ts';
import type { CursorPosition, WebsiteFilter, WebsitePage } from './website-page.ts';
import type { WebsiteRepository } from './website-repository.ts';
import { foldCase } from './website-url.ts';

/** The website. Rejects with `not_found`. */
export async function showWebsite(
  deps: Pick<WebsiteDependencies, 'websites'>,
  reach: Reach,
  id: string,
): Promise<Website> {
  const website = await deps.websites.find(reach, id);
  if (website === undefined) throw websiteNotFound();
  return website;
}

/** A page of the websites. The search is case-insensitive plain text. */
export function listWebsites(
  deps: { readonly websites: Pick<WebsiteRepository, 'list'> },
  reach: Reach,
  filter: WebsiteFilter,
  limit: number,
  position?: CursorPosition,
): Promise<WebsitePage> {
  const { search, order } = filter;
  const folded = search === undefined ? { order } : { order, search: foldCase(search) };
  return deps.websites.list(reach, folded, limit, position);
}

/**
 * Updates a website atomically: concurrent changes to different fields are all kept. An update that changes nothing leaves
 * the website unmodified, including `updatedAt`.
 *
 * @throws DomainError `not_found`, any error of the precondition, `InvalidFields` (`password_required`), `UrlTaken`,
 * `AliasTaken`
 */
export async function updateWebsite(
  deps: Authored &
    Pick<WebsiteDependencies, 'websites' | 'passwords' | 'now' | 'newId'> & {
      readonly directory: Pick<WebsiteDirectory, 'findOwner'>;
    },
  reach: Reach,
  id: string,
  changes: WebsiteChanges,
  precondition?: Precondition,
): Promise<Website> {
  const { accountId } = reach;
  let passwordHash: string | null = null;
  return untilSettled(async () => {
    const website = await showWebsite(deps, reach, id);
    precondition?.(website);
    if (typeof changes.password === 'string') passwordHash ??= await deps.passwords.hash(changes.password);
    const changed = changeWebsite(website, changes, passwordHash, deps.now());
    if (changed === website) return website;
    await rejectForeignAliases(deps.directory, accountId, changed, website.aliases);
    const change = websiteChange(deps, accountId, website, changed);
    try {
      return (await deps.websites.replace(accountId, changed, website.updatedAt, change)) ? changed : undefined;
    } catch (error) {
      // The website that has the address may be one that counts as absent.
      if (error instanceof UrlTaken && !reaches(reach, error.existingId ?? '')) throw new UrlTaken(undefined);
      throw error;
    }
  });
}

/**
 * Deletes a website.
 *
 * @throws DomainError `not_found`, or any error of the precondition
 */
export async function deleteWebsite(
  deps: Authored & Pick<WebsiteDependencies, 'websites' | 'now' | 'newId'>,
  reach: Reach,
  id: string,
  precondition?: Precondition,
): Promise<void> {
  const { accountId } = reach;
  await untilSettled(async () => {
    const website = await showWebsite(deps, reach, id);
    precondition?.(website);
    const change = websiteChange(deps, accountId, website, undefined);
    return (await deps.websites.delete(accountId, id, website.updatedAt, change)) ? website : undefined;
  });
}
