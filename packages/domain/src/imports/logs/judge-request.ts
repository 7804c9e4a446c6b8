import { readWebUrl } from '../../base/url.ts';
import { readReferrer } from '../../hits/attribution.ts';
import type { Hit } from '../../hits/hit.ts';
import type { LogRequest } from './log-request.ts';

/** Why a request is not a page that somebody saw, in the order in which the rules apply. */
export const REQUEST_REASONS = ['method', 'static_file', 'status'] as const;
export type RequestReason = (typeof REQUEST_REASONS)[number];

/** A request that no website counts, neither as a page nor for a crawler, and what is needed of it. */
export interface LeftOutRequest extends Pick<LogRequest, 'time' | 'host'> {
  readonly reason: RequestReason;
}

/** Why a request does not count. */
interface LeftOut {
  readonly reason: RequestReason;
  readonly detail: string;
  /** Whether it counts as a request of a crawler, if a bot sent it: for a page with a status from 400 to 499. */
  readonly isOfCrawlers: boolean;
}

/** Statuses of a page that was delivered, whole or in part, or that the client still had. */
const PAGE_STATUSES: ReadonlySet<number> = new Set([200, 203, 206, 304]);
const PAGE_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
/** Extensions of files that are no pages. Any other end of a path may be part of a name: `/v1.2`, `/st._petersburg`. */
const FILE_EXTENSIONS: ReadonlySet<string> = new Set(
  [
    'avif bmp cur eps gif heic icns ico jfif jpe jpeg jpg jxl png psd svg svgz tif tiff webp',
    'css cjs js jsm jsx less map mjs scss ts tsx vue wasm class swf',
    'eot otf ttc ttf woff woff2',
    '3gp aac aif aiff avi flac flv m3u m3u8 m4a m4v mid midi mkv mov mp2 mp3 mp4 mpeg mpg oga ogg ogv opus wav weba webm wma wmv',
    'atom json json5 jsonld ndjson rdf rss xml xsd xsl xslt yaml yml txt log md csv tsv manifest webmanifest appcache pac',
    'azw3 djvu doc docm docx dotx epub ics mobi odb odf odg odp ods odt pdf pps ppsx ppt pptx ps rtf vcf xls xlsm xlsx',
    '7z aab apk arj bz2 cab crx deb dmg exe gz gzip img ipa iso jar lz lz4 msi msix pkg rar rpm tar tbz tgz torrent war xpi xz zip zst',
    'asc cer crt md5 p12 pem pfx sha1 sha256 sha512 sig',
    'bak bin cfg conf db dat dll env htaccess htpasswd inc ini lock old orig sh sql sqlite swp toml',
  ].flatMap((line) => line.split(' ')),
);

/** Decides whether a request counts as a pageview (imports.md, "Access logs"): GET of a page, with the status of one. */
export function judgeRequest(request: LogRequest): LeftOut | undefined {
  const { method, status } = request;
  const leaveOut = (reason: RequestReason, detail: string, isOfCrawlers = false) => ({ reason, detail, isOfCrawlers });
  if (method !== 'GET') {
    return leaveOut('method', method === '' ? 'The line holds no HTTP request.' : `It is a ${method}.`);
  }
  const isPageStatus = PAGE_STATUSES.has(status);
  const type = typeOf(request);
  // The type of an error belongs to its message.
  const isPage = isPageStatus && status !== 304 && type !== undefined ? PAGE_TYPES.has(type) : hasPagePath(request);
  if (!isPage) return leaveOut('static_file', type === undefined ? 'Its path belongs to a file.' : `It is ${type}.`);
  return isPageStatus ? undefined : leaveOut('status', `Its status is ${status}.`, status >= 400 && status <= 499);
}

/** Shortens a request that no website counts. */
export function shortenedRequest(request: LogRequest | LeftOutRequest): LogRequest | LeftOutRequest {
  if ('reason' in request) return request;
  const left = judgeRequest(request);
  if (left === undefined || left.isOfCrawlers) return request;
  return { time: request.time, host: request.host, reason: left.reason };
}

function typeOf({ contentType }: LogRequest): string | undefined {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  return type === '' ? undefined : type;
}

/** Whether the last part of the path has no extension of a file. */
function hasPagePath({ target }: LogRequest): boolean {
  const path = pathOf(target).split(/[?#]/, 1)[0] ?? '';
  const name = path.slice(path.lastIndexOf('/') + 1).split(';', 1)[0] ?? '';
  const dot = name.lastIndexOf('.');
  return dot === -1 || !FILE_EXTENSIONS.has(name.slice(dot + 1).toLowerCase());
}

/** Stands for an address that cannot be read: no website has its host, which is empty. */
const NO_PAGE = new URL('http://./');

/**
 * The hit of a request.
 *
 * @param website its address, for lines that name no host
 */
export function hitOf({ time, host, target, ip, userAgent, referrer, language }: LogRequest, website: string): Hit {
  return {
    url: readWebUrl(urlOf(target, host, website)) ?? NO_PAGE,
    referrer: referrer === undefined ? undefined : readReferrer(referrer),
    ip,
    userAgent,
    language,
    time,
    sender: 'server',
  };
}

function urlOf(target: string, host: string | undefined, website: string): string {
  if (target.startsWith('/') && host === undefined) return originOf(website) + target;
  if (/^https?:\/\//i.test(target)) return target;
  const origin = host === undefined ? originOf(website) : `${website.slice(0, website.indexOf('//'))}//${host}`;
  return `${origin}${target.startsWith('/') ? '' : '/'}${target}`;
}

/** Of an address of a website, which has a path at most. */
function originOf(website: string): string {
  const end = website.indexOf('/', website.indexOf('//') + 2);
  return end === -1 ? website : website.slice(0, end);
}

/** The path of a target, which a client of a proxy sends as a whole address. */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '');
}
