import { rememberingStrings } from '@hitherto/domain/base';
import type { HitLookups } from '@hitherto/domain/hits';
import { openAddressFile } from './address-file.ts';
import { isBot } from './bots.ts';
import { countriesIn, openCountries } from './countries.ts';
import { loadCrawlers } from './crawlers.ts';
import { readDevice } from './devices.ts';
import { loadNetworks, networksIn } from './networks.ts';
import { loadSources, loadSpammers } from './sources.ts';

export { addressFileFault } from './address-file.ts';
export { loadCommonPasswords } from './common-passwords.ts';
export { countingLists } from './counting-lists.ts';

interface HitLookupsOptions {
  /** MaxMind DB files (.mmdb) with countries and autonomous systems; by default those that ship with this package. */
  readonly addressFiles?: readonly string[] | undefined;
}

/** Enough strings for nearly all hits of a few minutes, a few MB at most. */
const MAX_STRINGS = 4_096;

/** Loads the lookups of user agents, addresses and hosts; rejects with a readable message if a file is unusable. */
export async function openHitLookups({ addressFiles }: HitLookupsOptions = {}): Promise<HitLookups> {
  const files = addressFiles && (await Promise.all(addressFiles.map(openAddressFile)));
  const [countryOf, networkOf, crawlerOf, { sourceOf, sourceNamed }, isSpamReferrer] = await Promise.all([
    files === undefined ? openCountries() : countriesIn(files),
    files === undefined ? loadNetworks() : networksIn(files),
    loadCrawlers(),
    loadSources(),
    loadSpammers(),
  ]);
  const remember = <Value>(read: (text: string) => Value) => rememberingStrings(read, MAX_STRINGS);
  return {
    crawlerOf: remember((userAgent) => (isBot(userAgent) ? crawlerOf(userAgent) : undefined)),
    deviceOf: remember(readDevice),
    countryOf: remember(countryOf),
    networkOf: remember(networkOf),
    sourceOf: remember(sourceOf),
    sourceNamed: remember(sourceNamed),
    isSpamReferrer: remember(isSpamReferrer),
  };
}
