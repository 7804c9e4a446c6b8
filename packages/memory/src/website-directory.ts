import {
  addressOf,
  type DirectoryEntry,
  type Names,
  type Website,
  type WebsiteDirectory,
} from '@hitherto/domain/websites';
import type { State } from './state.ts';

/** Finds websites in `state`. */
export function createWebsiteDirectory(state: State): WebsiteDirectory {
  return {
    async findById(id) {
      return entriesOf(state).find(({ website }) => website.id === id);
    },

    async findOwner(names) {
      const claims = entriesOf(state).flatMap(({ accountId, website }) =>
        claimsOf(state, website, names).map((since) => ({ accountId, since })),
      );
      return claims.toSorted((a, b) => a.since - b.since)[0]?.accountId;
    },

    async findByAddress(address, accountId) {
      return twoOf(state, accountId, (own) => own === address);
    },

    async findByHost(host, accountId) {
      return twoOf(state, accountId, (own) => hostOf(own) === host);
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

/** Since when a website has those of the names that it has. */
function claimsOf(state: State, { id, url }: Website, { aliases, addresses }: Names): number[] {
  const since = state.namedSince.get(id);
  if (since === undefined) return [];
  const address = addressOf(url);
  return [
    ...aliases.map((alias) => since.aliases.get(alias)),
    addresses.includes(address) ? since.address : undefined,
    addresses.includes(hostOf(address)) ? since.host : undefined,
  ].filter((number) => number !== undefined);
}

/** At most two websites of an account by their address. */
function twoOf(state: State, accountId: string, matches: (address: string) => boolean): DirectoryEntry[] {
  return entriesOf(state)
    .filter((entry) => entry.accountId === accountId && matches(addressOf(entry.website.url)))
    .slice(0, 2);
}

/** The host of an address, with its port if it has one. */
export function hostOf(address: string): string {
  return address.split('/', 1)[0] ?? '';
}

function entriesOf(state: State): DirectoryEntry[] {
  return [...state.accounts.values()].flatMap(({ account, websites }) =>
    Array.from(websites.values(), (website) => ({ accountId: account.id, website: structuredClone(website) })),
  );
}
