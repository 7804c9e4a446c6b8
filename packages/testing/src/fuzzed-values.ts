import { oddJsonOf, oddValue } from './odd-values.ts';
import type { Random } from './random.ts';

/** Markup that no page may contain unescaped. */
export const MARKUP = '<fuzz onload=x>';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

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
const TYPES = ['text/plain', 'application/json', 'application/x-www-form-urlencoded', 'text/html', ''] as const;

export type Names = readonly [string, ...string[]];

/** A request near a valid one. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly sent: {
    readonly body?: string;
    readonly form?: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

export function anyString(random: Random): string {
  return random.pick(STRINGS);
}

/** A value of JSON; {@link oddJsonOf} writes it. */
export function anyValue(random: Random, depth: number): unknown {
  if (random.below(8) === 0) return oddValue(random.below(1_000));
  const kind = random.below(depth > 0 ? 8 : 6);
  const inner = () => anyValue(random, depth - 1);
  if (kind < 3) return random.pick(STRINGS);
  if (kind < 5) return random.pick([0, -1, 1e308, 2 ** 53, 0.1, true, null]);
  if (kind === 5) return {};
  if (kind === 6) return Array.from({ length: random.below(4) }, inner);
  const entry = () => [random.pick(STRINGS) + random.word(2), inner()];
  return Object.fromEntries(Array.from({ length: random.below(40) }, entry));
}

/** Fewer than `most` of these fields, each with a value. */
export function someOf<T>(random: Random, most: number, names: Names, value: () => T): Record<string, T> {
  return Object.fromEntries(Array.from({ length: random.below(most) }, () => [random.pick(names), value()]));
}

/** JSON, sometimes broken, under any type. */
export function jsonOf(random: Random, value: unknown): FuzzedRequest['sent'] {
  const text = oddJsonOf(value);
  const body = random.below(8) === 0 ? text.slice(0, random.below(text.length)) : text;
  const type = random.below(4) === 0 ? random.pick(TYPES) : 'text/plain';
  return { body, headers: type === '' ? {} : { 'content-type': type } };
}

/** Headers and cookies; bytes that HTTP does not allow are left out. */
export function headersOf(random: Random): Record<string, string> {
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
export function queryOf(texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts)
    .map(([name, text]) => `${encode(name)}=${text.startsWith('%') ? text : encode(text)}`)
    .join('&');
}

/** A lone surrogate, which has no encoding, is replaced. */
export function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
