import { addressOf, readWebsiteUrl, type Website, type WebsiteDirectory } from '@hitherto/domain';
import { createLookUps } from './look-ups.ts';

/** Remembers what the collector needs to know of websites. */
export interface WebsiteSettings<Settings> {
  /** The website's settings, or `undefined` where there is no such website. Rejects with `unavailable`. */
  find(id: string): Settings | undefined | Promise<Settings | undefined>;

  /** Whether the website is known without asking the database. */
  isKnown(id: string): boolean;

  /** The id of the website with this url or address, if there is just one. Rejects with `unavailable`. */
  idOfAddress(text: string): Promise<string | undefined>;
}

export interface WebsiteSettingsDependencies<Settings> {
  readonly directory: WebsiteDirectory;
  /** Makes of a website what hits are judged by. */
  readonly compile: (website: Website) => Settings;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  /** Ends the notifications of changes. */
  readonly signal: AbortSignal;
}

/** A change is in force within 10 s also where its notification is lost (statistics.md, section 3). */
const FOUND_MS = 10_000;
const UNKNOWN_MS = 30_000;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Settings over the directory of websites; what changed is forgotten as soon as the directory tells. */
export function createWebsiteSettings<Settings extends object>(
  deps: WebsiteSettingsDependencies<Settings>,
): WebsiteSettings<Settings> {
  const { directory, compile, clock, signal } = deps;
  const websites = createLookUps({
    load: async (id) => {
      const entry = await directory.findById(id);
      if (entry === undefined) return undefined;
      const { excludedIps, excludedParams } = entry.website;
      return { settings: compile(entry.website), lines: 1 + excludedIps.length + excludedParams.length };
    },
    foundMs: FOUND_MS,
    absentMs: UNKNOWN_MS,
    sizeOf: ({ lines }) => lines,
    clock,
  });
  const addresses = createLookUps({
    load: async (address) => {
      const entries = await directory.findByAddress(address);
      const [only] = entries;
      return entries.length === 1 && only !== undefined ? { id: only.website.id } : undefined;
    },
    foundMs: FOUND_MS,
    absentMs: UNKNOWN_MS,
    sizeOf: () => 1,
    clock,
  });

  directory.onChange((id) => {
    // A change of any website can make an address ambiguous, or end that.
    addresses.forgetAll();
    if (id === undefined) websites.forgetAll();
    else websites.forget(id);
  }, signal);

  return {
    find(id) {
      if (!UUID.test(id)) return undefined;
      const known = websites.get(id);
      return known instanceof Promise ? known.then((entry) => entry?.settings) : known?.settings;
    },

    isKnown: (id) => websites.has(id),

    async idOfAddress(text) {
      const read = readWebsiteUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
      return 'url' in read ? (await addresses.get(addressOf(read.url)))?.id : undefined;
    },
  };
}
