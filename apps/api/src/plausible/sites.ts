import {
  addressOf,
  readWebsiteUrl,
  type TimeZone,
  type WebsiteDependencies,
  type WebsiteDirectory,
  withOrWithoutWww,
  zoneOf,
} from '@hitherto/domain';
import type { Site } from './run-query.ts';

export interface SiteDependencies extends Pick<WebsiteDependencies, 'websites'> {
  readonly directory: WebsiteDirectory;
  /** The installation's. */
  readonly zone: TimeZone;
}

/** The site of an account with this `site_id`: an alias of a website, its id, its address or its host, `www.` apart. */
export async function findSite(deps: SiteDependencies, accountId: string, siteId: string): Promise<Site | undefined> {
  const own = await deps.websites.find(accountId, siteId.toLowerCase());
  const byAlias = own === undefined ? await deps.directory.findByAlias(siteId) : undefined;
  const website = own ?? (byAlias?.accountId === accountId ? byAlias.website : undefined);
  const found = website ?? (await findByAddress(deps, accountId, siteId));
  return found && { accountId, website: found, zone: zoneOf(found, deps.zone) };
}

/** A host must belong to exactly one website of the account. */
async function findByAddress({ directory }: SiteDependencies, accountId: string, siteId: string) {
  const read = readWebsiteUrl(`https://${siteId}`);
  if (!('url' in read)) return undefined;
  const address = addressOf(read.url);
  for (const find of [directory.findByAddress, directory.findByHost]) {
    for (const name of [address, withOrWithoutWww(address)]) {
      const [first, second] = await find(name, accountId);
      if (first !== undefined) return second === undefined ? first.website : undefined;
    }
  }
  return undefined;
}
