import { addressOf, type DirectoryEntry, type WebsiteDirectory } from '@hitherto/domain';
import type { State } from './state.ts';

/** Finds websites in `state`. */
export function createWebsiteDirectory(state: State): WebsiteDirectory {
  return {
    async findById(id) {
      return entriesOf(state).find(({ website }) => website.id === id);
    },

    async findByAddress(address, accountId) {
      return twoOf(state, accountId, (own) => own === address);
    },

    async findByHost(host, accountId) {
      return twoOf(state, accountId, (own) => own.split('/', 1)[0] === host);
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

/** At most two websites of an account, or of all, by their address. */
function twoOf(state: State, accountId: string | undefined, matches: (address: string) => boolean): DirectoryEntry[] {
  return entriesOf(state)
    .filter((entry) => (accountId ?? entry.accountId) === entry.accountId && matches(addressOf(entry.website.url)))
    .slice(0, 2);
}

function entriesOf(state: State): DirectoryEntry[] {
  return [...state.accounts.values()].flatMap(({ account, websites }) =>
    Array.from(websites.values(), (website) => ({ accountId: account.id, website: structuredClone(website) })),
  );
}
