import type { TimeZone } from '@hitherto/domain/calendar';
import { type CountingSettings, compileSettings, type FindSettings } from '@hitherto/domain/hits';
import { addressesNamed, findByName, type Names, type WebsiteDirectory, wholeAccount } from '@hitherto/domain/websites';
import { assertPrepared, type Lifecycle } from '@hitherto/http';
import { createLookupCache, type Recalled } from './lookup-cache.ts';

/** Caches the website settings that the collector needs. Lookups may reject with `unavailable`. */
export interface SettingsCache {
  /** The settings of the website with this id, whose letter case does not matter, or `undefined`. */
  readonly find: FindSettings;

  /** The same by id or alias. */
  readonly findByIdOrAlias: FindSettings;

  /**
   * The same by id, or by alias, url, address or host in the account that had the name first: the first of these that any of its
   * websites has, if exactly one has it. If none has an address or a host, the one with `www.` added or removed counts.
   */
  readonly findByAnyName: FindSettings;

  /** The same by the first of two names that a website has. If these are of two accounts, the one that had its name first. */
  findByEither(by: 'alias' | 'any', first: string, second: string): Promise<CountingSettings | undefined>;

  /** The account of the website whose settings were found. */
  accountOf(settings: CountingSettings): string | undefined;

  /** What is cached of `find`, without a lookup. */
  recall(website: string): Recalled<CountingSettings>;

  /** The id of the website with this id or name if that is cached. */
  knownId(website: string): string | undefined;
}

interface WebsiteSettingsDependencies {
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

/** A change, and a new website, takes effect within 10 s even without a notification (counting.md). */
const MAX_AGE_MS = 10_000;

/** Longer strings, and strings with other characters, are not alias of any website. */
const ALIAS = /^[!-~]{1,255}$/;

/** No url of a website is longer. */
const MAX_NAME_LENGTH = 2_100;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Settings from the website directory; a notified change drops them from the cache. */
export function createWebsiteSettings({
  directory,
  zone,
  lifecycle,
  signal,
  clock,
}: WebsiteSettingsDependencies): SettingsCache {
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
  const names = createLookupCache({
    load: async (text) => {
      assertPrepared(lifecycle);
      const owner = await directory.findOwner(namesOf('any', text));
      const entry = owner === undefined ? undefined : await findByName(directory, wholeAccount(owner), text);
      return entry && { id: entry.website.id };
    },
    maxAgeMs: MAX_AGE_MS,
    sizeOf: () => 1,
    clock,
  });

  const owners = createLookupCache({
    load: async (key) => {
      assertPrepared(lifecycle);
      const asked: Names = JSON.parse(key);
      return { accountId: await directory.findOwner(asked) };
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
    // A change of any website can make a name ambiguous, or end that, and move it.
    for (const cache of [names, owners, aliases]) cache.forgetAll();
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

  async function findByAnyName(text: string): Promise<CountingSettings | undefined> {
    const own = await find(text);
    if (own !== undefined || text.length > MAX_NAME_LENGTH) return own;
    const found = await names.get(text);
    return found === undefined ? undefined : find(found.id);
  }

  return {
    find,

    findByIdOrAlias,

    findByAnyName,

    async findByEither(by, first, second) {
      const findOne = by === 'alias' ? findByIdOrAlias : findByAnyName;
      const one = await findOne(first);
      const other = await findOne(second);
      if (one === undefined || other === undefined || accounts.get(one) === accounts.get(other)) return one ?? other;
      const { aliases: ofOne, addresses } = namesOf(by, first);
      const { aliases: ofOther, addresses: further } = namesOf(by, second);
      const asked: Names = { aliases: [...ofOne, ...ofOther], addresses: [...addresses, ...further] };
      const owner = await owners.get(JSON.stringify(asked));
      return accounts.get(other) === owner?.accountId ? other : one;
    },

    accountOf: (settings) => accounts.get(settings),

    recall(id) {
      const key = id.toLowerCase();
      if (!UUID.test(key)) return { value: undefined, isCurrent: true };
      const { value, isCurrent } = websites.recall(key);
      return { value: value?.settings, isCurrent };
    },

    knownId(text) {
      const key = text.toLowerCase();
      if (UUID.test(key) && websites.recall(key).value !== undefined) return key;
      const named = aliases.recall(text).value ?? names.recall(text).value;
      return (named ?? names.recall(addressesNamed(text)[0] ?? '').value)?.id;
    },
  };
}

/** What a text can mean. */
function namesOf(by: 'alias' | 'any', text: string): Names {
  return { aliases: ALIAS.test(text) ? [text] : [], addresses: by === 'alias' ? [] : addressesNamed(text) };
}
