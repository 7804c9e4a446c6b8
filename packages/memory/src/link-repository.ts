import { DomainError, SegmentInUse } from '@hitherto/domain/base';
import { type LinkRepository, MAX_LINKS, tooManyLinks } from '@hitherto/domain/links';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { note } from './audit-trail.ts';
import { type AccountState, hasLink, type State } from './state.ts';

/** Stores shared links in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createLinkRepository(state: State): LinkRepository {
  const accountOf = ({ accountId, websiteId }: WebsiteKey): AccountState | undefined => {
    const account = state.accounts.get(accountId);
    return account?.websites.has(websiteId) ? account : undefined;
  };

  return {
    async list(website) {
      const account = accountOf(website);
      return account && structuredClone([...(account.links.get(website.websiteId)?.values() ?? [])]);
    },

    async findByToken(tokenHash) {
      for (const { account, links, websites } of state.accounts.values()) {
        for (const [websiteId, ofWebsite] of links) {
          const link = [...ofWebsite.values()].find((each) => each.tokenHash === tokenHash);
          const website = websites.get(websiteId);
          if (link && website) return structuredClone({ link, accountId: account.id, website });
        }
      }
      return undefined;
    },

    async insert(website, link, change) {
      const account = accountOf(website);
      if (account === undefined) return false;
      const { websiteId } = website;
      const { segmentId } = link;
      if (segmentId !== null && account.definitions.get(websiteId)?.segment.get(segmentId) === undefined) return false;
      const all = account.links.get(websiteId) ?? new Map();
      if (all.size >= MAX_LINKS) throw tooManyLinks();
      if (hasLink(state, link)) throw new DomainError('id_taken', 'There is already a link with this id or token.');
      account.links.set(websiteId, all.set(link.id, structuredClone(link)));
      note(state, change);
      return true;
    },

    async delete(website, id, change) {
      const isDeleted = accountOf(website)?.links.get(website.websiteId)?.delete(id) ?? false;
      if (isDeleted) note(state, change);
      return isDeleted;
    },
  };
}

/** Throws if a link of the website shows the visits of this segment. */
export function rejectUsedSegment({ links }: AccountState, websiteId: string, id: string): void {
  for (const { name, segmentId } of links.get(websiteId)?.values() ?? []) {
    if (segmentId === id) throw new SegmentInUse(name);
  }
}
