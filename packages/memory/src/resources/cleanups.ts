import { NameTaken } from '@hitherto/domain/base';
import {
  type Cleanup,
  type CleanupRepository,
  isInEffect,
  MAX_CLEANUPS,
  ruleOf,
  tooManyCleanups,
  type WaitingCleanup,
} from '@hitherto/domain/cleanups';
import type { HidingRule } from '@hitherto/domain/visits';
import type { WebsiteKey } from '@hitherto/domain/websites';
import type { State } from '../state.ts';
import { createOwned } from './owned.ts';

/** Stores cleanups in `state`. */
export function createCleanupRepository(state: State): CleanupRepository {
  const all = state.resources.cleanup;
  const owned = createOwned<WebsiteKey, Cleanup>(state, all, {
    limit: MAX_CLEANUPS,
    tooMany: tooManyCleanups,
    reject(_, { name }, others) {
      const taken = others.find((other) => other.name === name);
      if (taken !== undefined) throw new NameTaken(taken.id);
    },
  });
  const waitingIn = ({ cleanup: { id, status } }: WaitingCleanup) => {
    const found = all.get(id);
    return found?.resource.status === status ? found : undefined;
  };
  return {
    ...owned,
    async waiting() {
      for (const { owner, resource } of all.values()) {
        const { accountId, websiteId } = owner;
        if (resource.status === 'active' || websiteId === undefined) continue;
        return structuredClone({ accountId, websiteId, cleanup: resource });
      }
      return undefined;
    },

    async apply(waiting, hidden) {
      const found = waitingIn(waiting);
      if (found?.resource.status !== 'applying') return false;
      all.set(found.resource.id, { ...found, resource: { ...found.resource, status: 'active', hidden } });
      return true;
    },

    async erased(waiting, at) {
      const found = waitingIn(waiting);
      if (found?.resource.status !== 'erasing') return false;
      all.set(found.resource.id, { ...found, resource: { ...found.resource, status: 'active', erasedAt: at } });
      return true;
    },

    async undo(waiting) {
      const found = waitingIn(waiting);
      return found?.resource.status === 'undoing' && all.delete(found.resource.id);
    },
  };
}

/** The rules that hide visits of a website. */
export function rulesOf({ resources }: State, websiteId: string): readonly HidingRule[] {
  const ofWebsite = [...resources.cleanup.values()].filter(({ owner }) => owner.websiteId === websiteId);
  return ofWebsite
    .map(({ resource }) => resource)
    .filter(isInEffect)
    .map(ruleOf);
}
