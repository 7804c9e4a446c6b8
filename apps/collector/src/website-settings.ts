import {
  addressOf,
  type CountingSettings,
  compileSettings,
  type FindSettings,
  readWebsiteUrl,
  type TimeZone,
  type WebsiteDirectory,
  withOrWithoutWww,
} from '@hitherto/domain';
import { assertPrepared, type Lifecycle } from '@hitherto/http';
import { createLookupCache } from './lookup-cache.ts';

/** Caches the website settings that the collector needs. Lookups may reject with `unavailable`. */
export interface WebsiteSettings {
  /** The settings of the website with this id, whose letter case does not matter, or `undefined`. */
  readonly find: FindSettings;

  /** The same by id or alias. */
  readonly findByIdOrAlias: FindSettings;

  /**
   * The same by id or alias, or by url, address or host if exactly one website has it: the first of these that any has. If none
   * has an address or a host, the one with `www.` added or removed counts.
   */
  readonly findByAnyName: FindSettings;

  /** The account of the website whose settings were found. */
  accountOf(settings: CountingSettings): string | undefined;

  /** The id of the website with this id, alias, url or address if that is cached. */
  knownId(website: string): string | undefined;
}

export interface WebsiteSettingsDependencies {
  readonly directory: WebsiteDirectory;
  /** The installation's. */
  readonly zone: TimeZone;
  /** Until the database is prepared, lookups reject as while it is away. */
  readonly lifecycle: Lifecycle;
  /** Ends the notifications of changes. */
  readonly signal: AbortSignal;
  /** Monotonic, in milliseconds; by default the system's. */
  readonly clock?: () => number;
}

/** A change, and a new website, takes effect within 10 s even without a notification (statistics.md, section 3). */
const MAX_AGE_MS = 10_000;

/** Longer strings, and strings with other characters, are not alias of any website. */
const ALIAS = /^[!-~]{1,255}$/;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Settings from the website directory; a notified change drops them from the cache. */
export function createWebsiteSettings({
  directory,
  zone,
  lifecycle,
  signal,
  clock,
}: WebsiteSettingsDependencies): WebsiteSettings {
  // Apart from the cache, which a change may empty before the account is read.
  const accounts = new WeakMap<CountingSettings, string>();
  const websites = createLookupCache({
    load: async (id) => {
      assertPrepared(lifecycle);
      const entry = await directory.findById(id);
      if (entry === undefined) return undefined;
      const { excludedIps, excludedParams } = entry.website;
      const settings = compileSettings(entry.website, zone);
      accounts.set(settings, entry.accountId);
      return { settings, lines: 1 + excludedIps.length + excludedParams.length };
    },
    maxAgeMs: MAX_AGE_MS,
    sizeOf: ({ lines }) => lines,
    clock,
  });
  const addresses = createLookupCache({
    load: async (address) => {
      assertPrepared(lifecycle);
      const other = withOrWithoutWww(address);
      const lookups = [directory.findByAddress, ...(address.includes('/') ? [] : [directory.findByHost])];
      for (const find of lookups) {
        for (const name of new Set([address, other])) {
          const [first, second] = await find(name);
          if (first !== undefined) return second === undefined ? { id: first.website.id } : undefined;
        }
      }
      return undefined;
    },
    maxAgeMs: MAX_AGE_MS,
    sizeOf: () => 1,
    clock,
  });

  const aliases = createLookupCache({
    load: async (alias) => {
      assertPrepared(lifecycle);
      const entry = await directory.findByAlias(alias);
      return entry && { id: entry.website.id };
    },
    maxAgeMs: MAX_AGE_MS,
    sizeOf: () => 1,
    clock,
  });

  directory.onChange((id) => {
    // A change of any website can make an address ambiguous, or end that, and move an alias.
    addresses.forgetAll();
    aliases.forgetAll();
    if (id === undefined) websites.forgetAll();
    else websites.forget(id);
  }, signal);

  function find(id: string): ReturnType<FindSettings> {
    const key = id.toLowerCase();
    if (!UUID.test(key)) return undefined;
    const known = websites.get(key);
    return known instanceof Promise ? known.then((entry) => entry?.settings) : known?.settings;
  }

  async function findByIdOrAlias(text: string): Promise<CountingSettings | undefined> {
    const own = await find(text);
    if (own !== undefined || !ALIAS.test(text)) return own;
    const found = await aliases.get(text);
    return found === undefined ? undefined : find(found.id);
  }

  return {
    find,

    findByIdOrAlias,

    async findByAnyName(text) {
      const named = await findByIdOrAlias(text);
      if (named !== undefined) return named;
      const address = readAddressOf(text);
      const found = address === undefined ? undefined : await addresses.get(address);
      return found === undefined ? undefined : find(found.id);
    },

    accountOf: (settings) => accounts.get(settings),

    knownId(text) {
      const key = text.toLowerCase();
      if (UUID.test(key) && websites.peek(key) !== undefined) return key;
      return aliases.peek(text)?.id ?? addresses.peek(readAddressOf(text) ?? '')?.id;
    },
  };
}

/** The normal form of an address with or without a scheme. */
function readAddressOf(text: string): string | undefined {
  const read = readWebsiteUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  return 'url' in read ? addressOf(read.url) : undefined;
}
