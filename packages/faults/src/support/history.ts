import type { Random } from '@hitherto/testing/random';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import type { ApiResponse, Sent } from './client.ts';
import { canary } from './secrets.ts';

/** One request of a history. */
export interface Operation {
  readonly who: 'owner' | 'reader' | 'other';
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly sent: Sent;
}

/** Generates one request after the other, from chance and from the responses so far. */
export interface History {
  create(): Operation;
  next(): Operation;
  learn(operation: Operation, response: ApiResponse): void;
}

const LIST = '/api/v1/websites';
const UNKNOWN_IDS = [
  '01997c3e-0000-7000-8000-00000000dead',
  'no-id',
  '%00',
  '01997C3E-0000-7000-8000-00000000DEAD',
] as const;
/** Spellings of addresses; some are equivalent. */
const URLS = [
  (n: number) => `https://site-${n}.example`,
  (n: number) => `http://SITE-${n}.example:80/`,
  (n: number) => `https://site-${n}.example/é 🦊`.replace(' ', '%20'),
  (n: number) => `https://Käse-${n}.example/a/../b//`,
  (n: number) => `http://192.0.2.${n}:8080/x_y%25`,
  (n: number) => `https://[2001:DB8::${n}]/A`,
] as const;
const BAD_URLS = [
  '',
  'example.com',
  'ftp://a.example',
  'https://a.example/?q',
  'https://u@a.example',
  'https://a b.example',
] as const;
const PARAMS = ['', 'utm_*\nref', ' é 🦊\r\n\r\nb\nb', '*', 'a=b', 'x\n#'] as const;
const IPS = [
  '',
  '203.0.113.7',
  '203.0.113.*\n2001:DB8::1/64\r\n::ffff:192.0.2.1',
  '10.0.0.0/8\n10.1.2.3/8',
  '1.2.3',
  'fe80::1%eth0\n::/0',
] as const;
const SEARCHES = [
  'site',
  'SITE-1',
  'Ä',
  'käse',
  'xn--',
  '%',
  '_',
  '\\',
  '🦊',
  ' ',
  'é',
  '%C3%A9',
  '',
  'b',
  '.example/a',
] as const;

export function startHistory(random: Random): History {
  const ids: string[] = [];
  const etags: string[] = ['"x"'];
  const links: string[] = [];
  /** Creates with an Idempotency-Key: repeated unchanged, or the key with other fields. */
  const keyed: Operation[] = [];
  const chance = (percent: number) => random.below(100) < percent;
  const oneOf = <T>(list: readonly T[], otherwise: readonly [T, ...T[]]) =>
    list.length > 0 && chance(90) ? (list[random.below(list.length)] ?? otherwise[0]) : random.pick(otherwise);
  const who = () => (chance(94) ? 'owner' : random.pick(['reader', 'other'] as const));
  const url = () => (chance(92) ? random.pick(URLS)(1 + random.below(12)) : random.pick(BAD_URLS));

  const settings = (): Record<string, string | number | null> => ({
    ...(chance(35) ? { privacy: chance(90) ? random.below(3) : random.pick([' 1', 3, '01', null]) } : {}),
    ...(chance(25) ? { password: chance(70) ? canary() : random.pick(['', null]) } : {}),
    ...(chance(20) ? { email: random.below(2) } : {}),
    ...(chance(20) ? { exclude_bots: random.below(2) } : {}),
    ...(chance(30) ? { exclude_params: random.pick(PARAMS) } : {}),
    ...(chance(30) ? { exclude_ips: random.pick(IPS) } : {}),
    ...(chance(2) ? { unknown: 1 } : {}),
  });
  const sentAs = (fields: Record<string, string | number | null>): Sent =>
    chance(50)
      ? { json: fields }
      : { form: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value ?? '')])) };
  /** The current version of something, an old one, any, or none. */
  const condition = (name: 'if-match' | 'if-none-match'): Record<string, string> =>
    chance(60)
      ? {}
      : {
          [name]: random.pick([
            etags.at(-1) ?? '*',
            oneOf(etags, ['*']),
            '*',
            'W/"x"',
            'no etag',
            `"y", ${etags.at(-1)}`,
          ]),
        };
  const pathOf = () => {
    const id = oneOf(ids, UNKNOWN_IDS);
    return `${LIST}/${chance(10) ? id.toUpperCase() : id}`;
  };

  const create = (): Operation => {
    const sent = sentAs({ ...(chance(98) ? { url: url() } : {}), ...settings() });
    return { who: 'owner', method: 'POST', path: LIST, sent };
  };
  const keyedCreate = (): Operation => {
    const earlier = keyed[random.below(keyed.length)];
    if (earlier !== undefined && chance(50)) return earlier;
    const key = earlier?.sent.headers?.['idempotency-key'] ?? `key-${random.word(8)}`;
    const made = create();
    const operation = {
      ...made,
      sent: { ...made.sent, headers: { 'idempotency-key': chance(40) ? key : random.word(9) } },
    };
    keyed.push(operation);
    return operation;
  };
  const list = (): Operation => {
    const link = links[random.below(links.length)];
    const query = new URLSearchParams({
      ...(chance(40) ? { search: random.pick(SEARCHES) } : {}),
      ...(chance(50) ? { sort: chance(95) ? random.pick(['asc', 'desc'] as const) : '' } : {}),
      ...(chance(30) ? { per_page: random.pick(['10', '11', '100', '9', '1e1'] as const) } : {}),
      ...(chance(4) ? { cursor: random.word(20) } : {}),
      ...(chance(2) ? { page: '2' } : {}),
    });
    const other = chance(10) ? '&sort=asc' : '';
    const path = link !== undefined && chance(60) ? link + other : `${LIST}?${query}`;
    return { who: who(), method: 'GET', path, sent: {} };
  };
  const update = (): Operation => ({
    who: who(),
    method: random.pick(['PUT', 'PATCH'] as const),
    path: pathOf(),
    sent: { ...sentAs({ ...settings(), ...(chance(30) ? { url: url() } : {}) }), headers: condition('if-match') },
  });
  const remove = (): Operation => {
    const path = pathOf();
    return {
      who: who(),
      method: 'DELETE',
      path: chance(50) ? path : `${path.replace('/api/v1', '')}/destroy`,
      sent: { headers: condition('if-match') },
    };
  };
  const show = (): Operation => ({
    who: who(),
    method: chance(90) ? 'GET' : 'HEAD',
    path: pathOf(),
    sent: { headers: condition('if-none-match') },
  });

  return {
    create,
    next() {
      const part = random.below(100);
      return part < 18
        ? create()
        : part < 34
          ? keyedCreate()
          : part < 52
            ? list()
            : part < 78
              ? update()
              : part < 86
                ? remove()
                : show();
    },
    learn({ method }, { status, headers, text }) {
      if (typeof headers.etag === 'string') etags.push(headers.etag);
      if (status === 201) {
        const { data }: { data: WebsiteJson } = JSON.parse(text);
        ids.push(data.id);
      }
      if (status === 200 && method === 'GET' && text.includes('"links":')) {
        const { links: found }: { links: Record<string, string | null> } = JSON.parse(text);
        links.push(...Object.values(found).flatMap((link) => link ?? []));
      }
    },
  };
}
