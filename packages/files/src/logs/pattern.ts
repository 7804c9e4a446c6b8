import { isIP } from 'node:net';
import { type LogRequest, NO_REQUEST, type ReadLogLine, type TimeZone } from '@hitherto/domain/files';
import {
  hostOfTarget,
  readClfTime,
  readClient,
  readLogTime,
  readRequestLine,
  readStatus,
  readText,
  unescapeText,
} from './values.ts';

/** Adds the value of a directive to a request; returns `false` if it cannot be read. */
type Read = (fields: Fields, text: string) => boolean;

/** The fields of a line so far. */
interface Fields {
  time?: Date | undefined;
  method?: string;
  target?: string;
  query?: string;
  host?: string | undefined;
  ip?: string | undefined;
  status?: number | undefined;
  userAgent?: string | undefined;
  referrer?: string | undefined;
  language?: string | undefined;
  contentType?: string | undefined;
}

interface Directive {
  /** The pattern of its value, without quotes around it. */
  readonly text: string;
  readonly read: Read;
}

const WORD = String.raw`\S+`;
/** With a port, if a server logs it. */
const HOST = String.raw`(?:\[[\da-fA-F:.]+\]|[^\s:"]+)(?::\d{1,5})?`;

const ignored: Directive = { text: String.raw`\S*`, read: () => true };

/** A text that may be absent. */
const optional = (name: 'userAgent' | 'referrer' | 'language' | 'contentType' | 'host'): Directive => ({
  text: WORD,
  read: (fields, value) => {
    fields[name] = readText(value);
    return true;
  },
});

const host: Directive = {
  text: HOST,
  read: (fields, text) => {
    fields.host = readText(text)?.replace(/:\d+$/, '');
    return true;
  },
};

const client: Directive = {
  text: WORD,
  read: (fields, text) => {
    const ip = readClient(text);
    fields.ip = ip ?? fields.ip;
    return ip !== null;
  },
};

/** A list of addresses that proxies have added to. Clients can send any text in this header. */
const forwarded: Directive = {
  text: '[^\\s,]+(?:, ?[^\\s,]+)*',
  read: (fields, text) => {
    fields.ip = readClient(text) ?? fields.ip;
    return true;
  },
};

const status: Directive = {
  text: String.raw`\d{3}|-`,
  read: (fields, text) => {
    fields.status = readStatus(text) ?? 0;
    return true;
  },
};

function time(text: string, read: (text: string) => Date | undefined): Directive {
  return {
    text,
    read: (fields, value) => {
      fields.time = read(value);
      return fields.time !== undefined;
    },
  };
}

/** The directives of Apache's `LogFormat`, by their letters; all others are skipped as one word. */
const DIRECTIVES: Readonly<Record<string, Directive>> = {
  h: client,
  a: client,
  // In front of an address, other fields stand before those of the format.
  l: { text: String.raw`\S*`, read: (_, text) => text === '-' || isIP(text) === 0 },
  // A user's name may have spaces.
  u: {
    text: '""|[^["]*?',
    read: (_, text) => !text.includes(' ') || !text.split(' ').some((word) => isIP(word) !== 0),
  },
  r: {
    text: '[^"]*?',
    read: (fields, text) => {
      const { method, target } = readRequestLine(text);
      fields.method = method;
      fields.target = target;
      return true;
    },
  },
  m: {
    text: WORD,
    read: (fields, text) => {
      fields.method = readText(text) ?? '';
      return true;
    },
  },
  U: {
    text: WORD,
    read: (fields, text) => {
      fields.target = text;
      return true;
    },
  },
  q: {
    text: String.raw`\S*`,
    read: (fields, text) => {
      const query = readText(text) ?? '';
      fields.query = query === '' || query.startsWith('?') ? query : `?${query}`;
      return true;
    },
  },
  s: status,
  v: host,
  V: host,
};

/** Headers of the request (`i`) and of the response (`o`) that are read, in lower case. */
const HEADERS: Readonly<Record<string, Directive>> = {
  'referer i': optional('referrer'),
  'user-agent i': optional('userAgent'),
  'accept-language i': optional('language'),
  'host i': optional('host'),
  'x-forwarded-for i': forwarded,
  'x-real-ip i': forwarded,
  'c a': client,
  'content-type o': optional('contentType'),
};

const TOKEN = /%[<>!,\d]*(?:\{([^}]*)\})?([a-zA-Z%])|[^%]+|%/g;

/** Characters that separate fields with spaces in them. */
const SEPARATORS = ['|', '\t'];

/**
 * Compiles a pattern in the notation of Apache's `LogFormat`, such as `%h %l %u %t "%r" %>s %b`.
 *
 * @param zone of times without an offset
 * @param isWhole whether no further fields may follow in a line
 * @throws RangeError if the pattern lacks the time or the path
 */
export function compileLogPattern(notation: string, zone: TimeZone, isWhole = false): ReadLogLine {
  // A path with its query is one word. To try each place where the query may begin would take quadratic time.
  const pattern = notation.replaceAll('%U%q', '%U');
  const reads: Read[] = [];
  let expression = '';
  let has = '';
  for (const match of pattern.matchAll(TOKEN)) {
    const [token, argument, letter] = match;
    if (letter === undefined || letter === '%') {
      expression += (letter === '%' ? '%' : token).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      continue;
    }
    const { text, read } = directiveOf(argument, letter, zone);
    const next = pattern[match.index + token.length] ?? '';
    const isQuoted = expression.endsWith('"') && next === '"';
    if (isQuoted) expression += String.raw`([^"\\]*(?:\\.[^"\\]*)*)`;
    else expression += SEPARATORS.includes(next) ? `([^${next}]*)` : `(${text})`;
    reads.push(isQuoted ? (fields, value) => read(fields, unescapeText(value)) : read);
    has += letter;
  }
  if (!has.includes('t')) throw new RangeError('The pattern has no time (%t).');
  if (!/[rU]/.test(has)) throw new RangeError('The pattern has no request (%r) and no path (%U).');
  const line = new RegExp(`^${expression}${isWhole ? ' *' : String.raw`(?:[ \t].*)?`}$`, 's');

  return (text) => {
    const values = line.exec(text);
    if (values === null) return text === '' || text.startsWith('#') ? NO_REQUEST : undefined;
    const fields: Fields = {};
    for (let index = 0; index < reads.length; index += 1) {
      if (reads[index]?.(fields, values[index + 1] ?? '') === false) return undefined;
    }
    return toRequest(fields);
  };
}

function directiveOf(argument: string | undefined, letter: string, zone: TimeZone): Directive {
  if (letter === 't') return timeDirective(argument, zone);
  if (argument === undefined) return DIRECTIVES[letter] ?? ignored;
  return HEADERS[`${argument.toLowerCase()} ${letter}`] ?? (letter === 's' ? status : ignored);
}

/** A time in brackets, or in its own format. */
function timeDirective(format: string | undefined, zone: TimeZone): Directive {
  return format === undefined
    ? time(String.raw`\[[^[\]]*\]`, (text) => readClfTime(text.slice(1, -1), zone))
    : time(timeExpression(format), (text) => readLogTime(text, zone));
}

/** The pattern of a time in its own format: it has as many spaces as the format. */
function timeExpression(format: string): string {
  return Array.from(format.split(' '), () => WORD).join(' ');
}

function toRequest(fields: Fields): LogRequest | undefined {
  const { time, method = 'GET', target, query = '', status = 200 } = fields;
  if (time === undefined || target === undefined) return undefined;
  // Copying the rest of the fields with a spread takes several times as long as naming them.
  const { host = hostOfTarget(target), ip, userAgent, referrer, language, contentType } = fields;
  return { time, method, target: target + query, status, host, ip, userAgent, referrer, language, contentType };
}
