import type { Random } from '@hitherto/testing/random';
import type { Sent } from './client.ts';
import { BROWSER } from './hit-senders.ts';

/** Markup that no page may contain unescaped. */
export const MARKUP = '<fuzz onload=x>';

/** Between bars: strings near the limits of encodings, numbers, dates, paths and statements. */
const ODD = "| |a|é 🦊|\0|\ud800|\u202e|%|%zz|%F0%9F|__proto__|constructor|-1|1e999|NaN|../../etc/passwd|' or 1=1 --";
const DATES = '2026-02-30|2026-11-01|9999-12-31';
const ADDRESSES =
  'https://example.com/a?utm_source=b&page=%00|https://example.com:99999/|https://[::1/|javascript:alert(1)';
const STRINGS = [
  MARKUP,
  ...[ODD, DATES, ADDRESSES].flatMap((list) => list.split('|')),
  `https://example.com/${MARKUP}?utm_source=${MARKUP}`,
  'x'.repeat(3_000),
  `https://example.com/${'é'.repeat(2_000)}`,
] as const;
const HIT_MEMBERS = ['website', 'url', 'referrer', 'name', 'props', 'w', 'other', '__proto__'] as const;
const EVENT_MEMBERS = ['n', 'name', 'u', 'url', 'd', 'domain', 'r', 'referrer', 'p', 'props', 'm', 'meta'] as const;
const FORM_MEMBERS = ['password', 'key', 'url', 'privacy', 'next'] as const;
const FILTERS = ['source', 'page', 'event', 'property'] as const;
const QUERY_NAMES = ['period', 'from', 'to', 'metric', 'cursor', 'compare', ...FILTERS] as const;
const LISTS = ['page', 'page.csv', 'source', 'property', 'property.csv', 'country', 'x', '%00'] as const;
const TYPES = ['text/plain', 'application/json', 'application/x-www-form-urlencoded', 'text/html', ''] as const;

export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
}

/** A request to the collector or to a page, near a valid one. */
export function fuzzedRequest(random: Random, website: string): FuzzedRequest {
  const id = random.below(4) > 0 ? website : random.pick(STRINGS);
  const page = `/statistics/${encode(id)}`;
  type Names = readonly [string, ...string[]];
  const some = <T>(most: number, names: Names, value: () => T): Record<string, T> =>
    Object.fromEntries(Array.from({ length: random.below(most) }, () => [random.pick(names), value()]));
  const query = (names: Names, fixed = {}) => queryOf({ ...fixed, ...some(4, names, () => random.pick(STRINGS)) });
  const read = (path: string) => ({ method: 'GET', path: `${path}?${query(QUERY_NAMES)}`, sent: {} });
  const report = (path: string, valid: object, names: Names) => {
    const members = some(3, names, () => anyValue(random, 3));
    return { method: 'POST', path, sent: jsonOf(random, { ...valid, ...members }) };
  };
  const kinds = [
    () => report('/hits', { website: id, url: `https://example.com/${random.below(50)}` }, HIT_MEMBERS),
    () => report('/api/event', { n: 'pageview', u: 'https://example.com/', d: id }, EVENT_MEMBERS),
    () => {
      const path = `/hits.gif?${query(HIT_MEMBERS, { website: id, url: 'https://example.com/' })}`;
      return { method: random.pick(['GET', 'HEAD']), path, sent: {} };
    },
    () => read(page),
    () => read(`${page}/by/${random.pick(LISTS)}`),
    () => {
      const path = random.pick([`${page}/unlock`, '/sign-in', '/sign-out', '/websites', '/websites/x']);
      return { method: 'POST', path, sent: { form: query(FORM_MEMBERS) } };
    },
  ] as const;
  const { method, path, sent }: FuzzedRequest = random.pick(kinds)();
  return { method, path, sent: { ...sent, headers: { ...headersOf(random), ...sent.headers } } };
}

/** JSON, sometimes broken, under any type. */
function jsonOf(random: Random, value: object): Sent {
  const text = JSON.stringify(value);
  const body = random.below(8) === 0 ? text.slice(0, random.below(text.length)) : text;
  const type = random.below(4) === 0 ? random.pick(TYPES) : 'text/plain';
  return { body, headers: type === '' ? {} : { 'content-type': type } };
}

function anyValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 8 : 6);
  const inner = () => anyValue(random, depth - 1);
  if (kind < 3) return random.pick(STRINGS);
  if (kind < 5) return random.pick([0, -1, 1e308, 2 ** 53, 0.1, true, null]);
  if (kind === 5) return {};
  if (kind === 6) return Array.from({ length: random.below(4) }, inner);
  const entry = () => [random.pick(STRINGS) + random.word(2), inner()];
  return Object.fromEntries(Array.from({ length: random.below(40) }, entry));
}

/** Headers and cookies; bytes that HTTP does not allow are left out. */
function headersOf(random: Random): Record<string, string> {
  const text = () => random.pick(STRINGS).replace(/[^\t\x20-\x7e]/g, '');
  const some = {
    'user-agent': random.pick([BROWSER, '', text(), `${BROWSER} ${text()}`]),
    'x-forwarded-for': random.pick(['203.0.113.7', '2001:db8::7', text(), `${text()}, 1.2.3.4`]),
    referer: text(),
    cookie: random.pick([`hitherto_session=${text()}`, `hitherto_unlock=${text()}; a=b`, ';;=;', text()]),
    'accept-language': text(),
    origin: random.pick(['null', 'https://example.com', text()]),
  };
  return Object.fromEntries(Object.entries(some).filter(() => random.below(3) > 0));
}

/** A query whose strings are mostly encoded, and sometimes raw. */
function queryOf(texts: Record<string, string>): string {
  return Object.entries(texts)
    .map(([name, text]) => `${encode(name)}=${text.startsWith('%') ? text : encode(text)}`)
    .join('&');
}

/** A lone surrogate, which has no encoding, is replaced. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
