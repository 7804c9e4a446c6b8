import { isIPv4 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { type Fault, inWords, type Saying } from '../base/errors.ts';
import { readUrl } from '../base/url.ts';

const MAX_URL_BYTES = 2048;
const MAX_HOST_BYTES = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Scheme, host, port and path of an absolute http or https URL as sent; the authority ends before the first "/". */
const SENT = /^(https?:\/\/)(\[[^\]/]*\]|[^/:[\]]+)(:[^/]*)?(\/.*)?$/iu;

/**
 * Soft hyphens, zero-width spaces and the like, which the parser would silently remove from the host. Joiners are
 * significant, and the parser knows where they are allowed; so is the variation selector right behind an emoji.
 */
const VANISHING =
  /(?!\u{200c}|\u{200d}|(?<=\p{Extended_Pictographic})\u{fe0f}|\u{fe0f}\u{20e3})\p{Default_Ignorable_Code_Point}/u;

/** The result of reading a url: its normal form, or its fault. */
export type ReadUrl = { readonly url: string } | { readonly fault: Omit<Fault, 'field'> };

/**
 * Reads a website's url and returns its normal form (api.md, "Fields", `url`). Repairs nothing: the WHATWG parser,
 * which makes the normal form, would accept backslashes, spaces, odd IPv4 notations and more, so these are rejected before it
 * runs. Reading a normal form returns it unchanged.
 */
export function readWebsiteUrl(sent: string): ReadUrl {
  if (sent === '') return { fault: missingUrl() };
  if (Buffer.byteLength(sent) > MAX_URL_BYTES) return tooLong();
  if (/[\s\p{Cc}\p{Cs}]/u.test(sent)) {
    return rejected('invalid_url', ({ faults }) => faults.websites.spaces);
  }
  if (sent.includes('\\')) return rejected('invalid_url', ({ faults }) => faults.websites.backslash);
  if (/[?#]/.test(sent)) return rejected('invalid_url', ({ faults }) => faults.websites.query);
  if (!/^https?:\/\//i.test(sent)) {
    return rejected('invalid_url', ({ faults }) => faults.websites.scheme);
  }
  const parts = SENT.exec(sent);
  const host = parts?.[2];
  if (host?.includes('@') || parts?.[3]?.includes('@'))
    return rejected('invalid_url', ({ faults }) => faults.websites.user);
  if (parts === null || host === undefined) return badHost();
  const port = parts[3];
  if (port !== undefined && !isPort(port.slice(1)))
    return rejected('invalid_url', ({ faults }) => faults.websites.port);
  if (host.includes('%') || VANISHING.test(host)) return badHost();

  // Versions of Node differ on capital ß ("ss" or "ß"), dot segments and, below, "^"; the normal form must not.
  const parsed = readUrl(`${parts[1]}${host.replaceAll('ẞ', 'ß')}${port ?? ''}${resolveDots(parts[4] ?? '')}`);
  if (parsed === undefined) return badHost();
  const asciiHost = parsed.hostname.replace(/\.$/, '');
  if (!isHost(asciiHost, host)) return badHost();
  const path = trimSlashes(parsed.pathname.replaceAll('^', '%5E'));
  const url = `${parsed.protocol}//${asciiHost}${parsed.port === '' ? '' : `:${parsed.port}`}${path}`;
  return Buffer.byteLength(url) > MAX_URL_BYTES ? tooLong() : { url };
}

/** The url without its scheme: unique within an account, and the sort key of lists. */
export function addressOf(url: string): string {
  return url.slice(url.indexOf('://') + 3);
}

/** The address of the same site under its other name. As in page addresses, `www.` before a single label stays. */
export function withOrWithoutWww(address: string): string {
  const name = address.replace(/^www\./, '');
  if (!/^[^/:]+\./.test(name)) return address;
  return name === address ? `www.${address}` : name;
}

/**
 * The text that a search matches: the url as stored and, if different, as people write it (Unicode host, decoded path), each
 * on its own line. No url contains a line break, so no match spans both.
 */
export function searchTextOf(url: string): string {
  const [, scheme = '', host = '', port = '', path = ''] = SENT.exec(url) ?? [];
  const written = `${scheme}${domainToUnicode(host) || host}${port}${decodePath(path)}`;
  return [...new Set([url, written].map(foldCase))].join('\n');
}

/** Folds the case of a search term and of the text it is compared with, code point by code point. */
export function foldCase(text: string): string {
  return text.toLowerCase().normalize('NFC').replaceAll('ς', 'σ');
}

/** The fault of a website without an address. */
export function missingUrl(): Omit<Fault, 'field'> {
  const text = inWords(({ settings }) => settings.addressMissing, 'A url is required, such as https://example.com.');
  return { code: 'required', ...text };
}

function rejected(code: Fault['code'], saying: Saying): ReadUrl {
  return { fault: { code, ...inWords(saying) } };
}

function tooLong(): ReadUrl {
  return rejected('too_long', ({ faults }) => faults.websites.longUrl(MAX_URL_BYTES));
}

function badHost(): ReadUrl {
  return rejected('invalid_url', ({ faults }) => faults.websites.host);
}

/** Removes dot segments; the parser of Node 20 and 22 leaves the last one in `//.a/.`. */
function resolveDots(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    const plain = segment.replaceAll(/%2e/gi, '.');
    if (plain === '..') segments.pop();
    else if (plain !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** Removes trailing slashes; a regular expression would take quadratic time on a hostile path. */
function trimSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

/** `ascii` is the host as parsed, `sent` the host as sent: an IPv4 address must have been sent in the same notation. */
function isHost(ascii: string, sent: string): boolean {
  if (ascii.startsWith('[')) return true;
  if (isIPv4(ascii)) return ascii === sent;
  return ascii.length <= MAX_HOST_BYTES && ascii.split('.').every((label) => LABEL.test(label));
}

/** Escapes that look like one UTF-8 character. */
const ESCAPED =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi;

/** Decodes escapes of valid UTF-8, except control characters; the rest stays unchanged. */
function decodePath(path: string): string {
  return path.replace(ESCAPED, (escapes) => {
    try {
      const text = decodeURIComponent(escapes);
      return /\p{Cc}/u.test(text) ? escapes : text;
    } catch {
      return escapes;
    }
  });
}
