import { DomainError } from '@hitherto/domain/base';
import { type LinkRepository, MAX_LINKS, type SharedLink, tooManyLinks, unknownSegment } from '@hitherto/domain/links';
import type { WebsiteKey } from '@hitherto/domain/websites';
import type { State } from '../state.ts';
import { createOwned } from './owned.ts';

/** Stores shared links in `state`. */
export function createLinkRepository(state: State): LinkRepository {
  const { link: all, segment } = state.resources;
  const owned = createOwned<WebsiteKey, SharedLink>(state, all, {
    limit: MAX_LINKS,
    tooMany: tooManyLinks,
    reject({ websiteId }, { segmentId, tokenHash }) {
      if (segmentId !== null && segment.get(segmentId)?.owner.websiteId !== websiteId) throw unknownSegment();
      if ([...all.values()].some(({ resource }) => resource.tokenHash === tokenHash)) {
        throw new DomainError('id_taken', 'There is already a link with this token.');
      }
    },
  });
  return {
    ...owned,

    async findByToken(tokenHash) {
      const found = [...all.values()].find(({ resource }) => resource.tokenHash === tokenHash);
      const { accountId = '', websiteId = '' } = found?.owner ?? {};
      const website = state.accounts.get(accountId)?.websites.get(websiteId);
      return found && website && structuredClone({ link: found.resource, accountId, website });
    },
  };
}
