import type { Authored } from '../changes/entry.ts';
import type { WebsiteDependencies } from './create-website.ts';
import type { Reach } from './reach.ts';
import { showWebsite } from './use-cases.ts';
import { websiteNotFound } from './website.ts';
import { websiteChange } from './website-change.ts';
import type { WebsiteChange } from './website-repository.ts';

/**
 * Moves a website to another account, with everything that belongs to it. The keys, members and webhooks of the first account
 * forget it, and its trail stays there. For webhooks it is deleted in the one account, and created in the other.
 *
 * @param to the id of the other account
 * @throws UrlTaken if that account has its address, DomainError `not_found`
 */
export async function moveWebsite(
  deps: Authored & Pick<WebsiteDependencies, 'websites' | 'now' | 'newId'>,
  from: Reach,
  id: string,
  to: string,
): Promise<void> {
  if (from.accountId === to) return;
  const website = await showWebsite(deps, from, id);
  const left = asMoved(websiteChange(deps, from.accountId, website, undefined));
  const arrived = asMoved(websiteChange(deps, to, undefined, website));
  if (!(await deps.websites.move(from.accountId, website.id, to, { left, arrived }))) throw websiteNotFound();
}

/** The settings stay, so that the trail has no changes of them. */
function asMoved({ entry, event }: WebsiteChange): WebsiteChange {
  return { entry: entry && { ...entry, action: 'website.moved', changes: [] }, event };
}
