import { addressOf, type DirectoryEntry, type WebsiteDirectory } from '@hitherto/domain/websites';

/** A `WebsiteDirectory` in memory that counts the lookups, and responds when the test lets it. */
export interface FakeDirectory extends WebsiteDirectory {
  readonly entries: DirectoryEntry[];
  readonly asked: string[];
  /** What lookups wait for after they have read. */
  gate: Promise<void>;
  tell(id: string | undefined): void;
}

export function createDirectory(...entries: DirectoryEntry[]): FakeDirectory {
  const listeners = new Set<(id: string | undefined) => void>();
  const directory: FakeDirectory = {
    entries,
    asked: [],
    gate: Promise.resolve(),

    async findById(id) {
      directory.asked.push(id);
      const found = directory.entries.find(({ website }) => website.id === id);
      await directory.gate;
      return found;
    },

    async findOwner({ aliases, addresses }) {
      directory.asked.push(`owner of ${[...aliases, ...addresses].join(', ')}`);
      const found = directory.entries.find(({ website: { url, aliases: own } }) => {
        const named = [addressOf(url), new URL(url).host];
        return aliases.some((alias) => own.includes(alias)) || addresses.some((address) => named.includes(address));
      });
      await directory.gate;
      return found?.accountId;
    },

    async findByAddress(address, { accountId }) {
      directory.asked.push(address);
      const found = directory.entries
        .filter((entry) => entry.accountId === accountId && addressOf(entry.website.url) === address)
        .slice(0, 2);
      await directory.gate;
      return found;
    },

    async findByHost(host, { accountId }) {
      directory.asked.push(`${host}/*`);
      const found = directory.entries
        .filter((entry) => entry.accountId === accountId && new URL(entry.website.url).host === host)
        .slice(0, 2);
      await directory.gate;
      return found;
    },

    async findByAlias(alias) {
      directory.asked.push(alias);
      const found = directory.entries.find(({ website }) => website.aliases.includes(alias));
      await directory.gate;
      return found;
    },

    onChange(listener, signal) {
      listeners.add(listener);
      signal.addEventListener('abort', () => listeners.delete(listener));
    },

    tell(id) {
      for (const listener of listeners) listener(id);
    },
  };
  return directory;
}
