import { type LogRequest, NO_REQUEST, type ReadLogLine, type TimeZone } from '@hitherto/domain/files';
import { decodePercent, hostOfTarget, readClient, readLogTime, readStatus, readText, UTC } from './values.ts';

/** How a server writes the W3C extended log format. */
interface Dialect {
  /** Of a file without a header; none by default. */
  readonly fields?: string;
  readonly split: (line: string) => readonly string[];
  /** Decodes the user agent. */
  readonly agent: (text: string) => string;
  /** Decodes other texts. */
  readonly text: (text: string) => string;
}

/** CloudFront's standard logs. Values are escaped for URLs, the user agent twice. */
const CLOUDFRONT: Dialect = {
  fields:
    'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header',
  split: (line) => line.split('\t'),
  agent: (text) => decodePercent(text, 2),
  text: (text) => decodePercent(text, 1),
};

/** IIS and others, which write spaces as `+`, or quote values with spaces. */
const SPACED: Dialect = {
  split: (line) => line.match(/"[^"]*"|\S+/g) ?? [],
  agent: (text) => decodePercent(text.includes(' ') ? text : text.replaceAll('+', ' '), 1),
  text: (text) => text,
};

export const createCloudFrontReader = (): ReadLogLine => createReader(CLOUDFRONT, UTC);
export const createW3cReader = (zone: TimeZone): ReadLogLine => createReader(SPACED, zone);

/**
 * Reads the W3C extended log format, whose columns a line `#Fields:` names. Times are in UTC, except in columns named local.
 *
 * @param zone of local times
 */
function createReader({ fields, split, agent, text }: Dialect, zone: TimeZone): ReadLogLine {
  let columns = columnsOf(fields);

  function toRequest(values: readonly string[]): LogRequest | undefined {
    const value = (...names: readonly string[]) => {
      const index = names.map((name) => columns.get(name)).find((found) => found !== undefined);
      return readText(values[index ?? -1]?.trim().replace(/^"([^"]*)"$/, '$1'));
    };
    const decoded = (decode: (text: string) => string, ...names: readonly string[]) => {
      const found = value(...names);
      return found === undefined ? undefined : decode(found);
    };
    const time =
      readLogTime(`${value('date')} ${value('time')}`, UTC) ??
      readLogTime(`${value('date-local')} ${value('time-local')}`, zone);
    const path = value('cs-uri-stem') ?? wholeUri(value('cs-uri'));
    const ip = readClient(value('c-ip'));
    const method = columns.has('cs-method') ? value('cs-method') : 'GET';
    const hasStatus = columns.has('sc-status') || columns.has('c-status');
    if (time === undefined || path === undefined || ip === null || method === undefined || !hasStatus) return undefined;
    const query = value('cs-uri-query');
    return {
      time,
      method,
      target: query === undefined ? path : `${path}?${query}`,
      status: readStatus(value('sc-status', 'c-status')) ?? 0,
      host: value('x-host-header') ?? value('cs(host)', 'cs-host') ?? hostOfTarget(path),
      ip,
      userAgent: decoded(agent, 'cs(user-agent)'),
      referrer: decoded(text, 'cs(referer)', 'cs(referrer)'),
      contentType: decoded(agent, 'sc-content-type'),
    };
  }

  return (line) => {
    if (line.trim() === '') return NO_REQUEST;
    const header = /^#Fields:(.*)$/is.exec(line)?.[1];
    if (header !== undefined) columns = columnsOf(header);
    if (line.startsWith('#')) return NO_REQUEST;
    return columns.size === 0 ? undefined : toRequest(split(line));
  };
}

function columnsOf(names = ''): ReadonlyMap<string, number> {
  const columns = names.trim().toLowerCase().split(/\s+/);
  return new Map(columns[0] === '' ? [] : columns.map((name, index) => [name, index]));
}

/** `www.example.com/a`, as Incapsula writes it, with a scheme. */
function wholeUri(uri: string | undefined): string | undefined {
  return uri === undefined || uri.startsWith('/') || uri.includes('://') ? uri : `http://${uri}`;
}
