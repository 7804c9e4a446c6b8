import { rememberingStrings } from '@hitherto/domain/base';
import type { HitLookups } from '@hitherto/domain/hits';
import { isBot } from './bots.ts';
import { openCountries } from './countries.ts';
import { loadCrawlers } from './crawlers.ts';
import { readDevice } from './devices.ts';
import { loadSources, loadSpammers } from './sources.ts';

export { loadCommonPasswords } from './common-passwords.ts';
export { countingLists } from './counting-lists.ts';
export { countryFileFault } from './countries.ts';

interface HitLookupsOptions {
  /** A MaxMind DB file (.mmdb) with countries; by default the one that ships with this package. */
  readonly countryFile?: string | undefined;
}

/** Enough strings for nearly all hits of a few minutes, a few MB at most. */
const MAX_STRINGS = 4_096;

/** Loads the lookups of user agents, addresses and hosts; rejects with a readable message if a file is unusable. */
export async function openHitLookups({ countryFile }: HitLookupsOptions = {}): Promise<HitLookups> {
  const [countryOf, crawlerOf, { sourceOf, sourceNamed }, isSpamReferrer] = await Promise.all([
    openCountries(countryFile),
    loadCrawlers(),
    loadSources(),
    loadSpammers(),
  ]);
  const remember = <Value>(read: (text: string) => Value) => rememberingStrings(read, MAX_STRINGS);
  return {
    crawlerOf: remember((userAgent) => (isBot(userAgent) ? crawlerOf(userAgent) : undefined)),
    deviceOf: remember(readDevice),
    countryOf: remember(countryOf),
    sourceOf: remember(sourceOf),
    sourceNamed: remember(sourceNamed),
    isSpamReferrer: remember(isSpamReferrer),
  };
}
