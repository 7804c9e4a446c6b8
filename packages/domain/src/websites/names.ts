import { AliasTaken } from '../base/errors.ts';
import { type Reach, reaches } from './reach.ts';
import type { Website } from './website.ts';
import type { DirectoryEntry, WebsiteDirectory } from './website-directory.ts';
import type { WebsiteRepository } from './website-repository.ts';
import { addressOf, readWebsiteUrl, withOrWithoutWww } from './website-url.ts';

// Other products' trackers and readers name a website by an alias, an address or a host. Such a name belongs to the account
// that had it first (api.md, "aliases").

/** The addresses that a text may mean: its normal form, and the same with `www.` added or removed; none if it is no address. */
export function addressesNamed(text: string): readonly string[] {
  const read = readWebsiteUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (!('url' in read)) return [];
  const address = addressOf(read.url);
  return [...new Set([address, withOrWithoutWww(address)])];
}

/** The website with one of these addresses or else hosts, if exactly one has it; the first that any has counts. */
async function findByAddresses(
  directory: Pick<WebsiteDirectory, 'findByAddress' | 'findByHost'>,
  reach: Reach,
  addresses: readonly string[],
): Promise<DirectoryEntry | undefined> {
  const hosts = addresses.filter((address) => !address.includes('/'));
  for (const [find, names] of [[directory.findByAddress, addresses] as const, [directory.findByHost, hosts] as const]) {
    for (const name of names) {
      const [first, second] = await find(name, reach);
      if (first !== undefined) return second === undefined ? first : undefined;
    }
  }
  return undefined;
}

/** The website with this alias, address or host. */
export async function findByName(
  directory: Pick<WebsiteDirectory, 'findByAlias' | 'findByAddress' | 'findByHost'>,
  reach: Reach,
  text: string,
): Promise<DirectoryEntry | undefined> {
  const named = await directory.findByAlias(text);
  const isReached = named?.accountId === reach.accountId && reaches(reach, named.website.id);
  return isReached ? named : findByAddresses(directory, reach, addressesNamed(text));
}

/** The website with this id or name. */
export async function findOwnWebsite(
  deps: {
    readonly websites: Pick<WebsiteRepository, 'find'>;
    readonly directory: Pick<WebsiteDirectory, 'findByAlias' | 'findByAddress' | 'findByHost'>;
  },
  reach: Reach,
  text: string,
): Promise<Website | undefined> {
  const own = await deps.websites.find(reach, text.toLowerCase());
  return own ?? (await findByName(deps.directory, reach, text))?.website;
}

/**
 * Rejects an alias that is an address or host which another account had first: its hits go there. Two accounts that claim a
 * name at the same moment may both get it, and then it leads to the one that was first.
 *
 * @throws AliasTaken
 */
export async function rejectForeignAliases(
  directory: Pick<WebsiteDirectory, 'findOwner'>,
  accountId: string,
  { aliases }: Website,
  before: readonly string[] = [],
): Promise<void> {
  for (const [index, alias] of aliases.entries()) {
    const addresses = before.includes(alias) ? [] : addressesNamed(alias);
    const owner = addresses.length === 0 ? undefined : await directory.findOwner({ aliases: [], addresses });
    if (owner !== undefined && owner !== accountId) throw new AliasTaken(index + 1);
  }
}
