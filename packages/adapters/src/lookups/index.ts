import type { HitLookups } from '@hitherto/domain';
import { isBot } from './bots.ts';
import { openCountries } from './countries.ts';
import { loadCrawlers } from './crawlers.ts';
import { readDevice } from './devices.ts';
import { remember } from './remember.ts';
import { loadSources } from './sources.ts';
import { loadSpammers } from './spammers.ts';

export { countryFileFault } from './countries.ts';

export interface HitLookupsOptions {
  /** A MaxMind DB file (.mmdb) with countries; by default the one that ships with this package. */
  readonly countryFile?: string | undefined;
}

/** Loads the lookups of user agents, addresses and hosts; rejects with a readable message if a file is unusable. */
export async function openHitLookups({ countryFile }: HitLookupsOptions = {}): Promise<HitLookups> {
  const [countryOf, crawlerOf, { sourceOf, sourceNamed }, isSpamReferrer] = await Promise.all([
    openCountries(countryFile),
    loadCrawlers(),
    loadSources(),
    loadSpammers(),
  ]);
  return {
    isBot: remember(isBot),
    crawlerOf: remember(crawlerOf),
    deviceOf: remember(readDevice),
    countryOf: remember(countryOf),
    sourceOf: remember(sourceOf),
    sourceNamed: remember(sourceNamed),
    isSpamReferrer: remember(isSpamReferrer),
  };
}
