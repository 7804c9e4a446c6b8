import { type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { findOwnWebsite, type Reach, type WebsiteDependencies, type WebsiteDirectory } from '@hitherto/domain/websites';
import type { Site } from './run-query.ts';

export interface SiteDependencies extends Pick<WebsiteDependencies, 'websites'> {
  readonly directory: WebsiteDirectory;
  /** The installation's. */
  readonly zone: TimeZone;
}

/** The site with this `site_id`: an alias of a website, its id, its address or its host, `www.` apart. */
export async function findSite(deps: SiteDependencies, reach: Reach, siteId: string): Promise<Site | undefined> {
  const website = await findOwnWebsite(deps, reach, siteId);
  return website && { accountId: reach.accountId, website, zone: zoneOf(website, deps.zone) };
}
