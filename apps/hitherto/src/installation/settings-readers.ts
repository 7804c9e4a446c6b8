import { isIP } from 'node:net';
import { isEmailAddress, ROLES } from '@hitherto/domain/access';
import { readUrl } from '@hitherto/domain/base';
import { type TimeZone, timeZone } from '@hitherto/domain/calendar';
import type { GroupRule } from '@hitherto/domain/people';
import { readWebsiteUrl } from '@hitherto/domain/websites';
import ipaddr from 'ipaddr.js';

const MAX_URL_LENGTH = 2_048;
const MAX_PATH_LENGTH = 255;
const MAX_ISSUER_LENGTH = 500;
/** Without segments of dots alone, which browsers resolve. */
const PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/;

// Each reader returns `undefined` for a string that it does not accept.

/** A whole number from 0 to `max`, in plain decimal. */
export function readNumber(text: string, max: number): number | undefined {
  return /^(?:0|[1-9]\d{0,8})$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}

/** Files, comma-separated. */
export function readFiles(text: string): string[] | undefined {
  const files = text.split(',').map((file) => file.trim());
  return files.includes('') ? undefined : files;
}

/** Addresses and networks, comma-separated. */
export function readNetworks(text: string): string[] | undefined {
  const entries = text.split(',').map((entry) => entry.trim());
  const isNetwork = (entry: string) => isIP(entry.split('/')[0] ?? '') > 0 && ipaddr.isValidCIDR(entry);
  return entries.every((entry) => isIP(entry) > 0 || isNetwork(entry)) ? entries : undefined;
}

/** The first segments of paths that are served. */
const SERVED =
  'accounts add-yourself api brand count count.js docs forgot hits hits.gif invitations js livez matomo.js matomo.php mcp metrics openapi.json piwik.js piwik.php problems readyz reports reset script.js setup share sign-in sign-out statistics umami.js webhooks websites you'.split(
    ' ',
  );

/** Paths of one's own, comma-separated: of letters, digits and `_.~-`, and none below which something is served. */
export function readPaths(text: string): string[] | undefined {
  const paths = text.split(',').map((path) => path.trim());
  const isFree = (path: string) => {
    const [, first = ''] = path.split('/');
    return path.length <= MAX_PATH_LENGTH && PATH.test(path) && !SERVED.includes(first);
  };
  return paths.every(isFree) ? [...new Set(paths)] : undefined;
}

/** An IANA time zone. */
export function readTimeZone(text: string): TimeZone | undefined {
  try {
    return timeZone(text);
  } catch {
    return undefined;
  }
}

/** The origin of an http or https URL without a path. */
export function readOrigin(text: string): string | undefined {
  return /^https?:\/\/[^/?#@]+\/?$/i.test(text) ? readUrl(text)?.origin : undefined;
}

/** A URL of an HTTP server, perhaps with a user, a password and a path of one name. */
export function readHttpUrl(text: string): string | undefined {
  const url = text.length <= MAX_URL_LENGTH ? readUrl(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (!/^\/[\w.-]*$/.test(url.pathname) || /[?#]/.test(text) || url.port === '0') return undefined;
  return [url.username, url.password].every(isDecodable) ? text : undefined;
}

/** A URL of an SMTP server: scheme, perhaps a user and a password, host and port, and nothing else. */
export function readSmtpUrl(text: string): string | undefined {
  const url = text.length <= MAX_URL_LENGTH ? readUrl(text) : undefined;
  if (url === undefined || !['smtp:', 'smtps:'].includes(url.protocol)) return undefined;
  if (!['', '/'].includes(url.pathname) || /[?#]/.test(text)) return undefined;
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(url.hostname) || url.port === '0') return undefined;
  if (url.username === '' && url.password !== '') return undefined;
  return [url.username, url.password].every(isDecodable) ? text : undefined;
}

/** An e-mail address, or a name with an address in angle brackets. */
export function readSender(text: string): string | undefined {
  const [, address = text] = /^(?:"[^"\\\p{Cc}]{0,100}" ?|[^"<>,;:@()[\]\\\p{Cc}]{0,100})<([^<>]+)>$/u.exec(text) ?? [];
  return isEmailAddress(address) ? text : undefined;
}

/** The issuer of an OpenID provider: an https URL without query, or an http URL of this machine. */
export function readIssuer(text: string): string | undefined {
  const url = text.length <= MAX_ISSUER_LENGTH ? readUrl(text) : undefined;
  if (url === undefined || /[?#]/.test(text) || url.username !== '' || url.password !== '') return undefined;
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback) ? text : undefined;
}

/** What the groups of a provider give: `GROUP=ACCOUNT:ROLE` or `GROUP=ACCOUNT:ROLE:WEBSITE`, comma-separated. */
export function readGroups(text: string): GroupRule[] | undefined {
  const rules = text.split(',').map((entry) => readGroup(entry.trim()));
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

function readGroup(text: string): GroupRule | undefined {
  const [, group, account, roleName, url] = /^(.+)=([^=:]+):([a-z]+)(?::(https?:.+))?$/.exec(text) ?? [];
  const role = ROLES.find((each) => each === roleName);
  if (group === undefined || account === undefined || role === undefined) return undefined;
  const named = { group: group.trim().replace(/^\//, ''), account: account.trim(), role };
  if (named.group === '' || named.account === '') return undefined;
  if (url === undefined) return { ...named, website: undefined };
  const website = readWebsiteUrl(url);
  // Owners have all websites.
  return 'fault' in website || role === 'owner' ? undefined : { ...named, website: website.url };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
