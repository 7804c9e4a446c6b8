import { type LogRequest, NO_REQUEST, type ReadLogLine, type TimeZone } from '@hitherto/domain/files';
import {
  decodePercent,
  hostOfTarget,
  readClient,
  readLogTime,
  readRequestLine,
  readStatus,
  readText,
} from './values.ts';

/** The fields of a request that a JSON line can have. */
const JSON_FIELDS = [
  'time',
  'path',
  'query',
  'method',
  'status',
  'host',
  'ip',
  'user_agent',
  'referrer',
  'language',
  'content_type',
] as const;
type JsonField = (typeof JSON_FIELDS)[number];

/** The names of the values of a request in JSON, by field; the first one in a line counts. */
export type JsonMembers = Readonly<Partial<Record<JsonField, readonly string[]>>>;

/** Caddy 2, whose older versions call the client `remote_addr` with its port. */
export const CADDY: JsonMembers = {
  time: ['ts'],
  path: ['request.uri'],
  method: ['request.method'],
  status: ['status'],
  host: ['request.host'],
  ip: ['request.client_ip', 'request.remote_ip', 'request.remote_addr'],
  user_agent: ['request.headers.User-Agent'],
  referrer: ['request.headers.Referer'],
  language: ['request.headers.Accept-Language'],
  content_type: ['resp_headers.Content-Type'],
};

/** Traefik, which logs headers only where it is told to. */
export const TRAEFIK: JsonMembers = {
  time: ['StartUTC', 'StartLocal', 'time'],
  path: ['RequestPath'],
  method: ['RequestMethod'],
  status: ['DownstreamStatus', 'OriginStatus'],
  host: ['RequestHost', 'RequestAddr'],
  ip: ['ClientHost', 'ClientAddr'],
  user_agent: ['request_User-Agent'],
  referrer: ['request_Referer'],
  language: ['request_Accept-Language'],
  content_type: ['downstream_Content-Type', 'origin_Content-Type'],
};

/** CloudFront's standard logs as JSON. */
export const CLOUDFRONT_JSON: JsonMembers = {
  time: ['timestamp(ms)', 'timestamp', 'date'],
  path: ['cs-uri-stem'],
  query: ['cs-uri-query'],
  method: ['cs-method'],
  status: ['sc-status'],
  host: ['x-host-header', 'cs(Host)'],
  ip: ['c-ip'],
  user_agent: ['cs(User-Agent)'],
  referrer: ['cs(Referer)'],
  content_type: ['sc-content-type'],
};

/** The variables of nginx, and the names of Matomo's format for it. */
export const NGINX_JSON: JsonMembers = {
  time: ['time_iso8601', 'time_local', 'msec', '@timestamp', 'timestamp', 'date', 'time'],
  path: ['request_uri', 'request', 'uri', 'path'],
  query: ['args', 'query_string'],
  method: ['request_method', 'method'],
  status: ['status'],
  host: ['http_host', 'host', 'server_name'],
  ip: ['remote_addr', 'ip'],
  user_agent: ['http_user_agent', 'user_agent'],
  referrer: ['http_referer', 'http_referrer', 'referrer', 'referer'],
  language: ['http_accept_language'],
  content_type: ['sent_http_content_type', 'content_type'],
};

interface JsonOptions {
  /** Whether texts are escaped for URLs, the user agent twice. */
  readonly isEscaped?: boolean;
  /** Fields that any line with a path has; others are not of the format. */
  readonly required?: readonly JsonField[];
}

/**
 * Reads JSON lines by their members. Names are paths (`request.uri`), or have the dots in them; letter case does not matter. A
 * line without a path is not a request.
 *
 * @param zone of times without an offset
 */
export function compileJson(members: JsonMembers, zone: TimeZone, options: JsonOptions = {}): ReadLogLine {
  const paths = JSON_FIELDS.map((field) => [field, (members[field] ?? []).map((name) => name.toLowerCase())] as const);

  return (line) => {
    if (line.trim() === '') return NO_REQUEST;
    const parsed = parse(line);
    if (parsed === undefined) return undefined;
    const values = new Map<JsonField, unknown>();
    for (const [field, names] of paths) {
      const value = names.map((name) => find(parsed, name)).find((found) => found !== undefined && found !== null);
      values.set(field, value);
    }
    return toRequest(parsed, values, zone, options);
  };
}

/**
 * Compiles the notation `path=uri,time=ts,ip=client.ip`.
 *
 * @param zone of times without an offset
 * @throws RangeError if a name is unknown, or path or time is missing
 */
export function compileNamedMembers(notation: string, zone: TimeZone): ReadLogLine {
  const members: Partial<Record<JsonField, readonly string[]>> = {};
  for (const part of notation.split(',')) {
    const [name = '', member = ''] = part.split(/=(.*)/s).map((text) => text.trim());
    const field = JSON_FIELDS.find((known) => known === name);
    if (field === undefined || member === '') {
      throw new RangeError(`"${part}" is none of ${JSON_FIELDS.map((known) => `${known}=FIELD`).join(', ')}.`);
    }
    members[field] = [member];
  }
  for (const field of ['path', 'time'] as const) {
    if (members[field] === undefined) throw new RangeError(`The format lacks ${field}=FIELD.`);
  }
  return compileJson(members, zone);
}

function toRequest(
  line: object,
  values: ReadonlyMap<JsonField, unknown>,
  zone: TimeZone,
  { isEscaped = false, required = [] }: JsonOptions,
): LogRequest | typeof NO_REQUEST | undefined {
  const text = (field: JsonField, times = 1) => {
    const value = readText(values.get(field));
    return value === undefined || !isEscaped ? value : decodePercent(value, times);
  };
  const path = readText(values.get('path'));
  if (path === undefined) return NO_REQUEST;
  const time = readLogTime(dayAndTime(line, values.get('time')), zone);
  const ip = readClient(values.get('ip'));
  if (time === undefined || ip === null || required.some((field) => values.get(field) === undefined)) return undefined;
  const { method = 'GET', target } = requestOf(path);
  const query = target.includes('?') ? undefined : readText(values.get('query'));
  const hasStatus = values.get('status') !== undefined;
  return {
    time,
    method: readText(values.get('method')) ?? method,
    target: query === undefined ? target : `${target}?${query.replace(/^\?/, '')}`,
    status: hasStatus ? (readStatus(values.get('status')) ?? 0) : 200,
    host: readText(values.get('host')) ?? hostOfTarget(target),
    ip,
    userAgent: text('user_agent', 2),
    referrer: text('referrer'),
    language: text('language'),
    contentType: text('content_type'),
  };
}

/** A path, or a whole line such as `GET /a HTTP/1.1`. */
function requestOf(path: string): { readonly method?: string; readonly target: string } {
  return path.startsWith('/') || !path.includes(' ') ? { target: path } : readRequestLine(path);
}

/** CloudFront has the day and the time of the day apart. */
function dayAndTime(line: object, value: unknown): unknown {
  const time = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? find(line, 'time') : undefined;
  return time === undefined ? value : `${String(value)} ${String(time)}`;
}

function parse(line: string): object | undefined {
  // An error takes longer than a look at the beginning.
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The value with this name or path, in lower case. */
function find(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const key = name.toLowerCase();
    if (key === path) return member;
    if (path.startsWith(`${key}.`)) {
      const found = find(member, path.slice(key.length + 1));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
