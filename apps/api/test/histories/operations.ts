import type { Random } from '@hitherto/testing/random';
import type { Sent } from '../support/api.ts';
import type { ApiResponse } from '../support/response.ts';

export type Who = 'owner' | 'reader' | 'other';

/** One request of a history. */
export interface Operation {
  readonly who: Who;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly sent: Sent;
}

const LIST = '/api/v1/websites';
const UNKNOWN = '01997c3e-0000-7000-8000-00000000dead';
const UNKNOWN_IDS = [UNKNOWN, 'no-id', '%00', UNKNOWN.toUpperCase()] as const;
/** Spellings of addresses; some are equivalent. */
const URLS = [
  (n: number) => `https://site-${n}.example`,
  (n: number) => `http://SITE-${n}.example:80/`,
  (n: number) => `https://site-${n}.example/é 🦊`.replace(' ', '%20'),
  (n: number) => `https://Käse-${n}.example/a/../b//`,
  (n: number) => `http://192.0.2.${n}:8080/x_y%25`,
  (n: number) => `https://[2001:DB8::${n}]/A`,
] as const;
const BAD_HOSTS = ['https://a.example/?q', 'https://u@a.example', 'https://a b.example'] as const;
const BAD_URLS = ['', 'example.com', 'ftp://a.example', ...BAD_HOSTS] as const;
const PARAMS = ['', 'utm_*\nref', ' é 🦊\r\n\r\nb\nb', '*', 'a=b', 'x\n#'] as const;
const NETWORKS = '203.0.113.*\n2001:DB8::1/64\r\n::ffff:192.0.2.1';
const IPS = ['', '203.0.113.7', NETWORKS, '10.0.0.0/8\n10.1.2.3/8', '1.2.3', 'fe80::1%eth0\n::/0'] as const;
const WORDS = ['site', 'SITE-1', 'Ä', 'käse', 'xn--', '🦊', 'é', '%C3%A9', '.example/a'] as const;
const SEARCHES = [...WORDS, '%', '_', '\\', ' ', '', 'b'] as const;

/** Generates one request after the other, from chance and from the responses so far. */
export function startHistory(random: Random) {
  const ids: string[] = [];
  const etags: string[] = ['"x"'];
  const links: string[] = [];
  /** Creates with an Idempotency-Key: repeated unchanged, or the key with other fields. */
  const keyed: Operation[] = [];
  const chance = (percent: number) => random.below(100) < percent;
  const some = <T extends object>(percent: number, fields: T) => (chance(percent) ? fields : {});
  const oneOf = <T>(list: readonly T[], otherwise: readonly [T, ...T[]]) =>
    list.length > 0 && chance(90) ? (list[random.below(list.length)] ?? otherwise[0]) : random.pick(otherwise);
  const who = () => (chance(94) ? 'owner' : random.pick(['reader', 'other'] as const));
  const url = () => (chance(92) ? random.pick(URLS)(1 + random.below(12)) : random.pick(BAD_URLS));

  type Fields = Record<string, string | number | null>;
  const settings = (): Fields => ({
    ...some(35, { privacy: chance(90) ? random.below(3) : random.pick([' 1', 3, '01', null]) }),
    ...some(25, { password: chance(70) ? random.word(12) : random.pick(['', null]) }),
    ...some(20, { email: random.below(2) }),
    ...some(20, { exclude_bots: random.below(2) }),
    ...some(30, { exclude_params: random.pick(PARAMS) }),
    ...some(30, { exclude_ips: random.pick(IPS) }),
    ...some(2, { unknown: 1 }),
  });
  const sentAs = (fields: Fields): Sent =>
    chance(50)
      ? { json: fields }
      : { form: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value ?? '')])) };
  /** The current version of something, an old one, any, or none. */
  const condition = (name: 'if-match' | 'if-none-match'): Record<string, string> => {
    const current = etags.at(-1) ?? '*';
    const values = [current, oneOf(etags, ['*']), '*', 'W/"x"', 'no etag', `"y", ${current}`] as const;
    return some(40, { [name]: random.pick(values) });
  };
  const pathOf = () => {
    const id = oneOf(ids, UNKNOWN_IDS);
    return `${LIST}/${chance(10) ? id.toUpperCase() : id}`;
  };

  const create = (): Operation => {
    const sent = sentAs({ ...some(98, { url: url() }), ...settings() });
    return { who: 'owner', method: 'POST', path: LIST, sent };
  };
  const keyedCreate = (): Operation => {
    const earlier = keyed[random.below(keyed.length)];
    if (earlier !== undefined && chance(50)) return earlier;
    const made = create();
    const key = earlier?.sent.headers?.['idempotency-key'] ?? `key-${random.word(8)}`;
    const headers = { 'idempotency-key': chance(40) ? key : random.word(9) };
    const operation = { ...made, sent: { ...made.sent, headers } };
    keyed.push(operation);
    return operation;
  };
  const list = (): Operation => {
    const link = links[random.below(links.length)];
    const query = new URLSearchParams({
      ...some(40, { search: random.pick(SEARCHES) }),
      ...some(50, { sort: chance(95) ? random.pick(['asc', 'desc']) : '' }),
      ...some(30, { per_page: random.pick(['10', '11', '100', '9', '1e1']) }),
      ...some(4, { cursor: random.word(20) }),
      ...some(2, { page: '2' }),
    });
    const path = link !== undefined && chance(60) ? link + (chance(10) ? '&sort=asc' : '') : `${LIST}?${query}`;
    return { who: who(), method: 'GET', path, sent: {} };
  };
  const update = (): Operation => {
    const sent = sentAs({ ...settings(), ...some(30, { url: url() }) });
    const method = random.pick(['PUT', 'PATCH'] as const);
    return { who: who(), method, path: pathOf(), sent: { ...sent, headers: condition('if-match') } };
  };
  const remove = (): Operation => {
    const path = chance(50) ? pathOf() : `${pathOf().replace('/api/v1', '')}/destroy`;
    return { who: who(), method: 'DELETE', path, sent: { headers: condition('if-match') } };
  };
  const show = (): Operation => {
    const method = chance(90) ? 'GET' : 'HEAD';
    return { who: who(), method, path: pathOf(), sent: { headers: condition('if-none-match') } };
  };
  /** Of a hundred requests, how many are of each kind. */
  const parts = [
    [18, create],
    [16, keyedCreate],
    [18, list],
    [26, update],
    [8, remove],
    [14, show],
  ] as const;

  return {
    create,
    next(): Operation {
      let part = random.below(100);
      for (const [share, make] of parts) {
        if (part < share) return make();
        part -= share;
      }
      return show();
    },
    learn({ method }: Operation, { status, headers, text }: Pick<ApiResponse, 'status' | 'headers' | 'text'>) {
      if (typeof headers.etag === 'string') etags.push(headers.etag);
      if (status === 201) ids.push(JSON.parse(text).data.id);
      if (status === 200 && method === 'GET' && text.includes('"links":')) {
        const { links: found }: { links: Record<string, string | null> } = JSON.parse(text);
        links.push(...Object.values(found).flatMap((link) => link ?? []));
      }
    },
  };
}
