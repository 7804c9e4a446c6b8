import { type LogRequest, NO_REQUEST, type ReadLogLine } from '@hitherto/domain';
import { decodePercent, readIp, readStatus, readText, readTime, UTC } from './values.ts';

/** The first fields of CloudFront's standard logs, for a file without its header. */
const FIELDS =
  'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header'.split(
    ' ',
  );

/**
 * Reads the standard logs of CloudFront: columns between tabs, whose names are in a line `#Fields:`. Times are in UTC. Values are
 * escaped for URLs, the user agent twice.
 */
export function createCloudFrontReader(): ReadLogLine {
  let columns = columnsOf(FIELDS);

  return (line) => {
    if (line.trim() === '') return NO_REQUEST;
    const fields = /^#Fields:\s*(.*)$/i.exec(line)?.[1];
    if (fields !== undefined) columns = columnsOf(fields.trim().split(/\s+/));
    if (line.startsWith('#')) return NO_REQUEST;
    const values = line.split('\t');
    const value = (name: string) => readText(values[columns.get(name) ?? -1]?.trim());
    return toRequest(value);
  };
}

function columnsOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, index) => [name.toLowerCase(), index]));
}

function toRequest(value: (name: string) => string | undefined): LogRequest | undefined {
  const time = readTime(`${value('date')} ${value('time')}`, UTC);
  const path = value('cs-uri-stem');
  const method = value('cs-method');
  if (time === undefined || path === undefined || method === undefined) return undefined;
  const query = value('cs-uri-query');
  return {
    time,
    method,
    target: query === undefined ? path : `${path}?${query}`,
    status: readStatus(value('sc-status')) ?? 0,
    host: value('x-host-header') ?? value('cs(host)'),
    ip: readIp(value('c-ip')),
    userAgent: unescaped(value('cs(user-agent)'), 2),
    referrer: unescaped(value('cs(referer)'), 1),
    contentType: unescaped(value('sc-content-type'), 2),
  };
}

function unescaped(text: string | undefined, times: number): string | undefined {
  return text === undefined ? undefined : decodePercent(text, times);
}
