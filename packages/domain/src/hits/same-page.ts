import type { ExcludedParameters } from './excluded-parameters.ts';
import type { Referrer } from './hit.ts';
import { type PageUrl, readPageUrl } from './page-url.ts';

/** What a sign-in sends back (RFC 6749, RFC 9207, OpenID Connect). Applications remove it from the address immediately. */
const SIGN_IN = ['code', 'state', 'session_state', 'scope', 'iss', 'authuser', 'hd', 'prompt'];

/**
 * Whether a page that has changed its address is still the same page: cleaned, both addresses are equal, or were before a
 * sign-in's parameters were removed.
 */
export function isSamePage(page: PageUrl, before: Referrer | undefined, excluded: ExcludedParameters): boolean {
  if (before === undefined || 'app' in before) return false;
  const isReached = (without: ExcludedParameters): boolean => {
    const read = readPageUrl(before, without);
    return read.host === page.host && read.page === page.page;
  };
  return isReached(excluded) || isReached({ ...excluded, names: new Set([...excluded.names, ...SIGN_IN]) });
}
