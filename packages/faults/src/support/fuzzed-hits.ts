import type { Random } from '@hitherto/testing/random';
import type { Sent } from './client.ts';
import { BROWSER } from './hit-senders.ts';

/** Markup that no page may contain unescaped. */
export const MARKUP = '<fuzz onload=x>';

const TEXTS = [
  '',
  ' ',
  'a',
  'é 🦊',
  '\0',
  '\ud800',
  '\u202e',
  '%',
  '%zz',
  '%F0%9F',
  '__proto__',
  'constructor',
  '-1',
  '1e999',
  'NaN',
  '2026-02-30',
  '2026-11-01',
  '9999-12-31',
  '../../etc/passwd',
  "' or 1=1 --",
  MARKUP,
  `https://example.com/${MARKUP}?utm_source=${MARKUP}`,
  'https://example.com/a?utm_source=b&page=%00',
  'https://example.com:99999/',
  'https://[::1/',
  'javascript:alert(1)',
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
  const id = random.below(4) > 0 ? website : random.pick(TEXTS);
  const page = `/statistics/${encode(id)}`;
  const read = (path: string) => ({
    method: 'GET',
    path: `${path}?${queryOf(textsOf(random, QUERY_NAMES))}`,
    sent: {},
  });
  const report = (path: string, valid: object, names: readonly [string, ...string[]]) => ({
    method: 'POST',
    path,
    sent: jsonOf(random, { ...valid, ...membersOf(random, names) }),
  });
  const kinds = [
    () => report('/hits', { website: id, url: `https://example.com/${random.below(50)}` }, HIT_MEMBERS),
    () => report('/api/event', { n: 'pageview', u: 'https://example.com/', d: id }, EVENT_MEMBERS),
    () => {
      const query = queryOf({ website: id, url: 'https://example.com/', ...textsOf(random, HIT_MEMBERS) });
      return { method: random.pick(['GET', 'HEAD']), path: `/hits.gif?${query}`, sent: {} };
    },
    () => read(page),
    () => read(`${page}/by/${random.pick(LISTS)}`),
    () => ({
      method: 'POST',
      path: random.pick([`${page}/unlock`, '/sign-in', '/sign-out', '/websites', '/websites/x']),
      sent: { body: queryOf(textsOf(random, FORM_MEMBERS)), headers: { 'content-type': TYPES[2] } },
    }),
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

function membersOf(random: Random, names: readonly [string, ...string[]]): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: random.below(3) }, () => [random.pick(names), anyValue(random, 3)]));
}

function anyValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 8 : 6);
  if (kind < 3) return random.pick(TEXTS);
  if (kind === 3) return random.pick([0, -1, 1e308, 2 ** 53, 0.1]);
  if (kind === 4) return random.pick([true, null]);
  if (kind === 5) return {};
  if (kind === 6) return Array.from({ length: random.below(4) }, () => anyValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: random.below(40) }, () => [random.pick(TEXTS) + random.word(2), anyValue(random, depth - 1)]),
  );
}

function textsOf(random: Random, names: readonly [string, ...string[]]): Record<string, string> {
  return Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.pick(names), random.pick(TEXTS)]));
}

/** Headers and cookies; bytes that HTTP does not allow are left out. */
function headersOf(random: Random): Record<string, string> {
  const text = () => random.pick(TEXTS).replace(/[^\t\x20-\x7e]/g, '');
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

/** A query whose texts are mostly encoded, and sometimes as they are. */
function queryOf(texts: Record<string, string>): string {
  return Object.entries(texts)
    .map(([name, text]) => `${encode(name)}=${text.startsWith('%') ? text : encode(text)}`)
    .join('&');
}

/** A lone surrogate, which has no encoding, is replaced. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
