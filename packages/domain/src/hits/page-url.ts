import { decodeParameter, normalizeEscapes, readWebUrl } from '../base/url.ts';
import {
  compileExcludedParameters,
  type ExcludedParameters,
  judgeParameter,
  type RemovedBy,
} from './excluded-parameters.ts';

/** The parts of a page's address (counting.md). */
export interface PageUrl {
  /** Lower case, without a leading `www.` and without port. */
  readonly host: string;
  /** The path and the rest of the query, in ASCII. */
  readonly page: string;
  /** The values of campaign labels, by their names in lower case; never empty. */
  readonly labels: ReadonlyMap<string, string>;
  /** The address has a click id of an advertisement. */
  readonly paidClick: boolean;
  /** Names as decoded, each once whatever its letter case, in the order of the address. */
  readonly removedParameters: readonly RemovedParameter[];
}

/** A query parameter that the page is stored without, and the rule that removes it. */
export interface RemovedParameter {
  readonly name: string;
  readonly by: RemovedBy;
}

/** Of a page, and of a referrer with its host. */
const MAX_LENGTH = 2_000;
/** A label is a few words at most; a longer one is truncated, to bound the lists. */
const MAX_LABEL_LENGTH = 255;

/** Reads the address of a page. */
export function readPageUrl(url: Readonly<URL>, excluded: ExcludedParameters): PageUrl {
  const found: Found = { labels: new Map(), paidClick: false, removed: new Map() };
  const query = cleanQuery(url.search.slice(1), excluded, found);
  const route = /^#(!?\/[^?#]*)(?:\?([^#]*))?/.exec(url.hash);
  const routeQuery = cleanQuery(route?.[2] ?? '', excluded, found);
  const path = cleanPath(url.pathname);
  const routePath = cleanRoute(route?.[1] ?? '');
  // A query needs the "/" before it, even where that alone would go.
  const routeStart = routePath === '' && routeQuery !== '' ? '#/' : routePath;
  const whole = `${path}${query}${routeStart}${routeQuery}`;
  return {
    host: hostOf(url),
    page: whole.length > MAX_LENGTH ? cut(path, routePath) : whole,
    labels: found.labels,
    paidClick: found.paidClick,
    removedParameters: [...found.removed.values()],
  };
}

const NO_PARAMETERS: ExcludedParameters = compileExcludedParameters([]);
const CLEAN_PATH = /^(?:\/[\w~!$&'()*+,=:@-][\w.~!$&'()*+,=:@-]*)+$/;

/** A path that another product shows, decoded or not, as the page of a collected hit; other strings stay as they are. */
export function readPagePath(path: string): string {
  if (CLEAN_PATH.test(path) || !path.startsWith('/')) return path;
  const encoded = path.replace(/%(?![\da-f]{2})/gi, '%25');
  const url = readWebUrl(`https://page.invalid${encoded}`);
  return url === undefined ? path : readPageUrl(url, NO_PARAMETERS).page;
}

/** The campaign labels and click ids of a query, as they were sent and without a "?". */
export function campaignIn(query: string): string {
  const isRead = (parameter: string): boolean => {
    const { label, paidClickId } = judgeParameter(NO_PARAMETERS, decodeParameter(parameter.replace(/=.*$/s, '')));
    return label || paidClickId;
  };
  return query.replace(/^\?/, '').split('&').filter(isRead).join('&');
}

/**
 * Host and path of a referrer, cleaned like a page, without query and trailing slash: `example.com/a`. The host is shorter than
 * 2,000 characters.
 */
export function referrerText(url: Readonly<URL>): string {
  const host = hostOf(url);
  const path = cutPath(cleanPath(url.pathname), MAX_LENGTH - host.length);
  return path === '/' ? host : `${host}${path}`;
}

/** The host in the form in which websites, pages and referrers are compared. */
export function hostOf(url: Readonly<URL>): string {
  return withoutWww(url.hostname.replace(/\.$/, ''));
}

/** Tells whether a host is another one or below it; both are in the form of {@link hostOf}. */
export function isWithin(host: string, site: string): boolean {
  return host === site || host.endsWith(`.${site}`);
}

/** `www.com` stays: all of `.com` is not below a website of that name. */
function withoutWww(host: string): string {
  return host.startsWith('www.') && host.includes('.', 4) ? host.slice(4) : host;
}

interface Found {
  readonly labels: Map<string, string>;
  paidClick: boolean;
  readonly removed: Map<string, RemovedParameter>;
}

/** The rest of a query, with its "?"; labels and removed parameters are added to `found`. */
function cleanQuery(query: string, excluded: ExcludedParameters, found: Found): string {
  if (query === '') return '';
  const kept: string[] = [];
  for (const parameter of query.split('&')) {
    if (parameter === '') {
      kept.push(parameter);
      continue;
    }
    const equals = parameter.indexOf('=');
    const name = decodeParameter(equals === -1 ? parameter : parameter.slice(0, equals));
    const { removedBy, label, paidClickId } = judgeParameter(excluded, name);
    if (removedBy === undefined) {
      kept.push(normalizeEscapes(parameter));
      continue;
    }
    const folded = name.toLowerCase();
    if (!found.removed.has(folded)) found.removed.set(folded, { name, by: removedBy });
    if (!label && !paidClickId) continue;
    const value = labelOf(equals === -1 ? '' : parameter.slice(equals + 1));
    if (value === '') continue;
    if (paidClickId) found.paidClick = true;
    else if (!found.labels.has(folded)) found.labels.set(folded, value);
  }
  // Blank parts stay, unless nothing else is left.
  return kept.every((parameter) => parameter === '') ? '' : `?${kept.join('&')}`;
}

/** The decoded value of a label: trimmed, without control characters, at most 255 characters. */
function labelOf(value: string): string {
  const text = decodeParameter(value)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return text.length <= MAX_LABEL_LENGTH ? text : [...text].slice(0, MAX_LABEL_LENGTH).join('').trim();
}

/** A path without `;jsessionid=…` at its end and without trailing slashes; at least "/". */
function cleanPath(path: string): string {
  // Node's versions differ on whether their parser escapes "^".
  return trimEnd(normalizeEscapes(path.replaceAll('^', '%5E'))) || '/';
}

/** The part of a fragment that is a path, with its "#", or nothing where it leads to the page itself. */
function cleanRoute(route: string): string {
  const path = trimEnd(normalizeEscapes(route));
  return path === '' || path === '!' ? '' : `#${path}`;
}

/**
 * Without slashes and `;jsessionid=…` at the end, and without dot segments, which only a suffix kept from being resolved.
 * Works from the end, because patterns for it take quadratic time on a hostile path.
 */
function trimEnd(path: string): string {
  const folded = path.toLowerCase();
  let end = path.length;
  for (;;) {
    while (path[end - 1] === '/') end -= 1;
    const segment = path.lastIndexOf('/', end - 1) + 1;
    const suffix = folded.slice(segment, end).indexOf(';jsessionid=');
    if (suffix !== -1) end = segment + suffix;
    else if (end - segment <= 2 && /^\.{1,2}$/.test(folded.slice(segment, end))) end = segment;
    else return path.slice(0, end);
  }
}

/** A path and a route, truncated to 2,000 characters together, with clean ends. */
function cut(path: string, route: string): string {
  if (path.length + route.length <= MAX_LENGTH) return `${path}${route}`;
  const start = cutPath(path, MAX_LENGTH);
  const cutRoute = path.length >= MAX_LENGTH ? '' : trimCut(route.slice(0, MAX_LENGTH - start.length));
  return /^#!?\/./.test(cutRoute) ? `${start}${cutRoute}` : start;
}

/** A path, truncated to this length, with a clean end. */
function cutPath(path: string, length: number): string {
  return path.length <= length ? path : trimCut(path.slice(0, length)) || '/';
}

/** Removes half an escape and other artefacts of truncation from the end. */
function trimCut(path: string): string {
  return trimEnd(path.replace(/%[\da-f]?$/i, ''));
}
