import { type LogRequest, NO_REQUEST, type ReadLogLine, type TimeZone } from '@hitherto/domain';
import { decodePercent, readIp, readStatus, readText, readTime } from './values.ts';

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
export type JsonField = (typeof JSON_FIELDS)[number];

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

/**
 * Reads JSON lines by their members. Names are paths (`request.uri`), or have the dots in them; letter case does not matter. A
 * line without a path is not a request.
 *
 * @param zone of times without an offset
 */
export function compileJson(members: JsonMembers, zone: TimeZone, isEscaped = false): ReadLogLine {
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
    return toRequest(parsed, values, zone, isEscaped);
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
  isEscaped: boolean,
): LogRequest | typeof NO_REQUEST | undefined {
  const text = (field: JsonField, times = 1) => {
    const value = readText(values.get(field));
    return value === undefined || !isEscaped ? value : decodePercent(value, times);
  };
  const path = readText(values.get('path'));
  if (path === undefined) return NO_REQUEST;
  const time = readTime(dayAndTime(line, values.get('time')), zone);
  if (time === undefined) return undefined;
  const query = readText(values.get('query'));
  const hasStatus = values.get('status') !== undefined;
  return {
    time,
    method: readText(values.get('method')) ?? 'GET',
    target: query === undefined ? path : `${path}?${query.replace(/^\?/, '')}`,
    status: hasStatus ? (readStatus(values.get('status')) ?? 0) : 200,
    host: readText(values.get('host')),
    ip: readIp(values.get('ip')),
    userAgent: text('user_agent', 2),
    referrer: text('referrer'),
    language: text('language'),
    contentType: text('content_type'),
  };
}

/** CloudFront has the day and the time of the day apart. */
function dayAndTime(line: object, value: unknown): unknown {
  const time = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? find(line, 'time') : undefined;
  return time === undefined ? value : `${String(value)} ${String(time)}`;
}

function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
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
