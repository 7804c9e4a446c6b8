import type { PageLocks, Website } from '@hitherto/domain/websites';
import { hasWebsite, type State } from './state.ts';

/** Reads the versions of locks from `state`. */
export function createPageLocks(state: State): PageLocks {
  return {
    async versionOf(websiteId) {
      return hasWebsite(state, websiteId) ? (state.lockVersions.get(websiteId) ?? 0) : undefined;
    },
  };
}

/** Counts a change of who may see the page, if it is one. */
export function countLockChange(state: State, before: Website, after: Website): void {
  if (before.privacy === after.privacy && before.passwordHash === after.passwordHash) return;
  state.lockVersions.set(after.id, (state.lockVersions.get(after.id) ?? 0) + 1);
}
