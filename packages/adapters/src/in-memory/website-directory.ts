import { addressOf, type DirectoryEntry, type WebsiteDirectory } from '@hitherto/domain';
import type { State } from './state.ts';

/** Finds websites in `state`. */
export function createWebsiteDirectory(state: State): WebsiteDirectory {
  return {
    async findById(id) {
      return entriesOf(state).find(({ website }) => website.id === id);
    },

    async findByAddress(address) {
      return entriesOf(state)
        .filter(({ website }) => addressOf(website.url) === address)
        .slice(0, 2);
    },

    async findByAlias(alias) {
      return entriesOf(state).find(({ website }) => website.aliases.includes(alias));
    },

    onChange(listener, signal) {
      if (signal.aborted) return;
      state.changeListeners.add(listener);
      signal.addEventListener('abort', () => state.changeListeners.delete(listener), { once: true });
    },
  };
}

function entriesOf(state: State): DirectoryEntry[] {
  return [...state.accounts.values()].flatMap(({ account, websites }) =>
    Array.from(websites.values(), (website) => ({ accountId: account.id, website: structuredClone(website) })),
  );
}
