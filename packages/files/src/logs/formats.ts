import { NO_REQUEST, type ReadLogLine, type TimeZone } from '@hitherto/domain/files';
import {
  CADDY,
  CLOUDFRONT_JSON,
  compileJson,
  compileNamedMembers,
  type JsonMembers,
  NGINX_JSON,
  TRAEFIK,
} from './json.ts';
import { compileLogPattern } from './pattern.ts';
import { prefixRemover } from './prefixes.ts';
import { UTC } from './values.ts';
import { createCloudFrontReader, createW3cReader } from './w3c.ts';

/** Creates a reader, whose times without an offset are of the zone. */
type CreateReader = (zone: TimeZone) => ReadLogLine;

const COMMON = '%h %l %u %t "%r" %>s %b';
const HEADERS = '"%{Referer}i" "%{User-Agent}i"';
const COMBINED = `${COMMON} ${HEADERS}`;

/**
 * The formats of access logs, and the variants of each: a line is of the first one that reads it. Where several formats read the
 * same lines, the first one is meant: it reads more of them.
 */
const FORMATS = {
  cloudfront: [createCloudFrontReader, () => compileJson(CLOUDFRONT_JSON, UTC, { isEscaped: true })],
  caddy: [json(CADDY)],
  traefik: [json(TRAEFIK), pattern(`${COMBINED} %{count}x "%{router}x" "%{url}x" %{duration}x`)],
  json: [(zone) => compileJson(NGINX_JSON, zone, { required: ['status', 'ip'] })],
  w3c: [createW3cReader],
  s3: [
    pattern(
      `%{owner}x %v %t %h %{requester}x %{id}x %{operation}x %{key}x "%r" %>s %{error}x %b %{size}x %{total}x %{turnaround}x ${HEADERS}`,
    ),
  ],
  elb: [elb('%{type}x '), elb('')],
  haproxy: [
    pattern(
      '%h %t %{frontend}x %{backend}x %{timers}x %>s %b %{request}x %{response}x %{state}x %{connections}x %{queues}x "%r"',
    ),
  ],
  bunny: [pattern('%{cache}x|%>s|%{msec}t|%b|%{zone}x|%h|%{Referer}i|%U|%{place}x|%{User-Agent}i|%{id}x|%{country}x')],
  gandi: [withHost(`%h %l %u %t (%{duration}x s) "%r" %>s %b ${HEADERS}`)],
  vhost_combined: [withHost(COMBINED), withHost(COMMON, true)],
  combined: [pattern(COMBINED), pattern(COMMON, true)],
  vhost_common: [withHost(COMMON)],
  common: [pattern(COMMON)],
} satisfies Readonly<Record<string, readonly CreateReader[]>>;

const ROWS: readonly (readonly [string, readonly CreateReader[]])[] = Object.entries(FORMATS);
export const LOG_FORMATS: readonly string[] = ROWS.map(([name]) => name);

function pattern(notation: string, isWhole = false): CreateReader {
  return (zone) => compileLogPattern(notation, zone, isWhole);
}

function json(members: JsonMembers): CreateReader {
  return (zone) => compileJson(members, zone);
}

/** Load balancers of AWS. */
function elb(type: string): CreateReader {
  return pattern(
    `${type}%{iso}t %{name}x %h %{target}x %{request}x %{response}x %{total}x %>s %{status}x %{received}x %b "%r" "%{User-Agent}i"`,
  );
}

/** A virtual host before other fields with a certain address: otherwise a user with a space would make an address a host. */
function withHost(notation: string, isWhole = false): CreateReader {
  return (zone) => {
    const read = compileLogPattern(`%v ${notation}`, zone, isWhole);
    return (line) => {
      const request = read(line);
      return request === undefined || request === NO_REQUEST || request.ip !== undefined ? request : undefined;
    };
  };
}

/** How many lines decide which format a log has. */
export const SAMPLE_LINES = 100;

/**
 * The share of lines that a format must read to be recognized, and its share of the lines that the best format reads, if it reads
 * more of each line: logs have odd lines, and lines of other programs.
 */
const MIN_READ = 0.5;

/** The format of a log, and a reader of its lines. */
interface FoundFormat {
  readonly format: string;
  readonly read: ReadLogLine;
}

/**
 * The reader of a format by its name; of `json:path=…,time=…`; or of a pattern in the notation of Apache's `LogFormat`, which
 * has a `%`, and is that of whole lines. Times without an offset are in UTC.
 *
 * @param sample whose prefix is not read
 * @throws RangeError if there is no such format
 */
export function logFormat(name: string, sample: readonly string[]): FoundFormat {
  if (name.includes('%')) return { format: name, read: compileLogPattern(name, UTC) };
  const create = name.startsWith('json:')
    ? (zone: TimeZone) => compileNamedMembers(name.slice('json:'.length), zone)
    : ROWS.filter(([known]) => known === name).map(([, variants]) => anyOf(variants))[0];
  if (create !== undefined) return { format: name, read: behind(prefixRemover(sample), create(UTC)) };
  throw new RangeError(
    `There is no format "${name}". Formats are ${LOG_FORMATS.join(', ')}, json:path=FIELD,time=FIELD, and patterns such as ${COMMON}.`,
  );
}

/**
 * Recognizes the format of a log by its first lines; `undefined` if it has none of them.
 *
 * @param zone of times without an offset
 */
export function findLogFormat(sample: readonly string[], zone = UTC): FoundFormat | undefined {
  const lines = sample.slice(0, SAMPLE_LINES);
  const remove = prefixRemover(lines);
  const found = ROWS.map(([format, variants]) => {
    const create = () => behind(remove, anyOf(variants)(zone));
    const results = lines.map(create()).filter((result) => result !== undefined);
    const requests = results.filter((result) => result !== NO_REQUEST).length;
    return { format, create, requests, isReadable: results.length >= MIN_READ * lines.length };
  });
  const most = Math.max(...found.map(({ requests }) => requests));
  const first = found.find(({ requests, isReadable }) => isReadable && requests > 0 && requests >= MIN_READ * most);
  return first && { format: first.format, read: first.create() };
}

/** Reads each line by the first of several readers that can. */
function anyOf(variants: readonly CreateReader[]): CreateReader {
  return (zone) => {
    const [first, ...others] = variants.map((create) => create(zone));
    if (first === undefined) throw new Error('A format needs a reader.');
    return (line) => {
      let result = first(line);
      for (let index = 0; result === undefined && index < others.length; index += 1) result = others[index]?.(line);
      return result;
    };
  };
}

/** Reads lines without their prefix. */
function behind(remove: ((line: string) => string) | undefined, read: ReadLogLine): ReadLogLine {
  return remove === undefined ? read : (line) => read(remove(line));
}
