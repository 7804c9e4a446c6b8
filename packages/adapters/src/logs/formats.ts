import { NO_REQUEST, type ReadLogLine, type TimeZone } from '@hitherto/domain';
import { createCloudFrontReader } from './cloudfront.ts';
import { CADDY, CLOUDFRONT_JSON, compileJson, compileNamedMembers, TRAEFIK } from './json.ts';
import { compilePattern } from './pattern.ts';
import { UTC } from './values.ts';

const COMMON = '%h %l %u %t "%r" %>s %b';
const COMBINED = `${COMMON} "%{Referer}i" "%{User-Agent}i"`;

/** The formats of access logs. Where several read the same lines, the first one is meant: it reads more of them. */
export const LOG_FORMATS = ['cloudfront', 'caddy', 'traefik', 'vhost_combined', 'combined', 'common'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** The variants of each format, whose times without an offset are of a zone. Those of CloudFront are always in UTC. */
const READERS: Readonly<Record<LogFormat, readonly ((zone: TimeZone) => ReadLogLine)[]>> = {
  cloudfront: [createCloudFrontReader, () => compileJson(CLOUDFRONT_JSON, UTC, true)],
  caddy: [(zone) => compileJson(CADDY, zone)],
  traefik: [
    (zone) => compileJson(TRAEFIK, zone),
    (zone) => compilePattern(`${COMBINED} %{count}x "%{router}x" "%{url}x" %{duration}x`, zone),
  ],
  vhost_combined: [(zone) => compilePattern(`%v:%p ${COMBINED}`, zone)],
  combined: [(zone) => compilePattern(COMBINED, zone)],
  common: [(zone) => compilePattern(COMMON, zone)],
};

/** How many lines decide which format a log has. */
export const SAMPLE_LINES = 100;

/** The share of lines that a format must read to be recognized: logs have odd lines, and lines of other programs. */
const MIN_READ = 0.5;

/** The format of a log, and a reader of its lines. */
export interface FoundFormat {
  readonly format: string;
  readonly read: ReadLogLine;
}

/**
 * The reader of a format by its name; of `json:path=…,time=…`; or of a pattern in the notation of Apache's `LogFormat`, which
 * has a `%`. A name with several variants stands for the one that reads most of the sample. Times without an offset are in UTC.
 *
 * @throws RangeError if there is no such format
 */
export function logFormat(name: string, sample: readonly string[]): FoundFormat {
  const known = LOG_FORMATS.find((format) => format === name);
  if (known !== undefined) return best(known, sample, UTC).found;
  if (name.startsWith('json:')) return { format: name, read: compileNamedMembers(name.slice('json:'.length), UTC) };
  if (name.includes('%')) return { format: name, read: compilePattern(name, UTC) };
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
  const found = LOG_FORMATS.map((format) => best(format, lines, zone)).reduce((one, other) =>
    other.requests > one.requests ? other : one,
  );
  const isRecognized = found.requests > 0 && found.readable >= MIN_READ * lines.length;
  return isRecognized ? found.found : undefined;
}

/** The variant of a format that reads most lines. */
function best(format: LogFormat, lines: readonly string[], zone: TimeZone) {
  const [first, ...others] = READERS[format].map((create) => {
    const read = create(zone);
    const results = lines.map(read).filter((result) => result !== undefined);
    const requests = results.filter((result) => result !== NO_REQUEST).length;
    return { requests, readable: results.length, found: { format, read: create(zone) } };
  });
  if (first === undefined) throw new Error(`The format ${format} has no reader.`);
  return others.reduce((one, other) => (other.requests > one.requests ? other : one), first);
}
