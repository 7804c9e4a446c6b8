import {
  addressOf,
  type DirectoryEntry,
  type Names,
  type Reach,
  reaches,
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

    async findByAddress(address, reach) {
      return twoOf(state, reach, (own) => own === address);
    },

    async findByHost(host, reach) {
      return twoOf(state, reach, (own) => hostOfAddress(own) === host);
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
    addresses.includes(hostOfAddress(address)) ? since.host : undefined,
  ].filter((number) => number !== undefined);
}

/** At most two websites by their address. */
function twoOf(state: State, reach: Reach, matches: (address: string) => boolean): DirectoryEntry[] {
  return websitesIn(state, reach)
    .filter(({ url }) => matches(addressOf(url)))
    .slice(0, 2)
    .map((website) => ({ accountId: reach.accountId, website: structuredClone(website) }));
}

/** The websites that are reached. */
export function websitesIn(state: State, reach: Reach): Website[] {
  const websites = state.accounts.get(reach.accountId)?.websites.values() ?? [];
  return [...websites].filter(({ id }) => reaches(reach, id));
}

/** The host of an address, with its port if it has one. */
export function hostOfAddress(address: string): string {
  return address.split('/', 1)[0] ?? '';
}

function entriesOf(state: State): DirectoryEntry[] {
  return [...state.accounts.values()].flatMap(({ account, websites }) =>
    Array.from(websites.values(), (website) => ({ accountId: account.id, website: structuredClone(website) })),
  );
}
