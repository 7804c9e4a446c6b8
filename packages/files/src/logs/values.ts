import { isIP } from 'node:net';
import { instantOf, type LogRequest, type TimeZone, timeZone } from '@hitherto/domain/files';

// The values of log lines, as servers write them. Each function returns `undefined` for a value that it cannot read.

/** The zone of times without an offset, unless another one is given. */
export const UTC = timeZone('UTC');

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `20/Nov/2026:11:59:30 +0100`, also with a space before the time or fractions of a second; without an offset, of the zone. */
export function readClfTime(text: string, zone: TimeZone): Date | undefined {
  const [, day, name = '', year, time, fraction = '', sign, hours, minutes] =
    /^(\d{2})\/(\w{3})\/(\d{4})[: ](\d{2}:\d{2}:\d{2})(\.\d+)?(?: ?([+-])(\d{2}):?(\d{2}))?$/.exec(text) ?? [];
  const month = MONTHS.indexOf(name) + 1;
  if (month === 0) return undefined;
  const clock = `${year}-${String(month).padStart(2, '0')}-${day}T${time}${fraction}`;
  return dateOf(clock, sign && `${sign}${hours}:${minutes}`, zone);
}

/**
 * A time as a number or string: seconds, milliseconds, microseconds or nanoseconds since 1970, RFC 3339,
 * `2026/11/20 11:59:30`, or as in a common log. Without an offset it is of the zone.
 */
export function readLogTime(value: unknown, zone: TimeZone): Date | undefined {
  if (typeof value === 'number') return readNumber(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim().replace(/^\[(.*)\]$/, '$1');
  if (/^\d+(?:\.\d+)?$/.test(text)) return readNumber(Number(text));
  const iso = /^(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d+))?\s*(Z|[+-]\d{2}:?\d{2})?$/i.exec(
    text,
  );
  if (iso === null) return readClfTime(text, zone);
  const [, year, month, day, time, fraction = '0', offset] = iso;
  const clock = `${year}-${month}-${day}T${time}.${fraction.slice(0, 3)}`;
  return dateOf(clock, offset?.replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2').toUpperCase(), zone);
}

/** @param clock the time that a clock shows, of the zone if there is no offset */
function dateOf(clock: string, offset: string | undefined, zone: TimeZone): Date | undefined {
  if (offset !== undefined) return validDate(Date.parse(`${clock}${offset}`));
  return validDate(instantOf(zone, Date.parse(`${clock}Z`)).getTime());
}

/** From the year 5138 on, seconds would be taken for milliseconds. */
function readNumber(value: number): Date | undefined {
  const units = [1e11, 1e14, 1e17].findIndex((limit) => value < limit);
  const divisor = 1_000 ** ((units === -1 ? 3 : units) - 1);
  return validDate(Math.round(value / divisor));
}

function validDate(time: number): Date | undefined {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A string, or the first of several; `-` and an empty one stand for none. */
export function readText(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'number') return String(first);
  return typeof first === 'string' && first !== '' && first !== '-' ? first : undefined;
}

/** Names that resolvers log: with a dot, and a last part that is no number. */
const HOST_NAME = /^(?:[\w-]+\.)+[a-z][\w-]*\.?$|^localhost$/i;
const MAX_HOST_NAME = 253;

/**
 * The address or host name of a client, without the port and the brackets that some servers add; the first of a list, which is
 * the client's. `undefined` if there is none, as for a client of a Unix socket; `null` for any other text, such as a word of
 * another format.
 */
export function readClient(value: unknown): string | undefined | null {
  const text = readText(value);
  if (text === undefined || isIP(text) !== 0) return text;
  const first = text.split(',', 1)[0]?.trim() ?? '';
  if (first.startsWith('unix:') || first === 'unknown') return undefined;
  const client = /^\[([^\]]*)\](?::\d+)?$/.exec(first)?.[1] ?? /^([\d.]+):\d+$/.exec(first)?.[1] ?? first;
  const isName = client.length <= MAX_HOST_NAME && HOST_NAME.test(client);
  return isName || isIP(client) !== 0 ? client : null;
}

/** The host in a whole address, such as `http://example.com/a`. */
export function hostOfTarget(target: string): string | undefined {
  return target.startsWith('/') ? undefined : /^https?:\/\/([^/?#]+)/i.exec(target)?.[1];
}

/** Three digits; CloudFront has `000` if the client went away. */
export function readStatus(value: unknown): number | undefined {
  const text = readText(value);
  return text !== undefined && /^\d{3}$/.test(text) ? Number(text) : undefined;
}

/** `GET /a HTTP/1.1`; also without a version. Anything else is not an HTTP request. */
export function readRequestLine(text: string): Pick<LogRequest, 'method' | 'target'> {
  const [, method = '', target = ''] = /^([A-Za-z][A-Za-z-]{0,31}) (\S.*?)(?: HTTP\/\d(?:\.\d)?)?$/s.exec(text) ?? [];
  return { method, target };
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, b: 8, v: 11, f: 12 };

/** Decodes `\xHH`, `\"` and the like, as Apache and nginx write them. The bytes are UTF-8. */
export function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  const parts = text.split(/(\\x[\da-f]{2}|\\u[\da-f]{4}|\\.)/i).map((part) => {
    if (!part.startsWith('\\')) return Buffer.from(part);
    const [, kind = '', digits = ''] = /^\\(.)(.*)$/s.exec(part) ?? [];
    if (digits === '') return Buffer.from([...(ESCAPES[kind] === undefined ? Buffer.from(kind) : [ESCAPES[kind]])]);
    const code = Number.parseInt(digits, 16);
    return kind === 'x' ? Buffer.from([code]) : Buffer.from(String.fromCharCode(code));
  });
  return Buffer.concat(parts).toString();
}

/** Decodes percent escapes, as often as they were written; a faulty one stays. */
export function decodePercent(text: string, times: number): string {
  let decoded = text;
  for (let n = 0; n < times && decoded.includes('%'); n += 1) {
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      return decoded;
    }
  }
  return decoded;
}
