import { addDays, dayOf, timeZone } from '@hitherto/domain/calendar';
import { DIMENSIONS } from '@hitherto/domain/hits';
import { type ClickHouseServer, skipsClickHouse, startClickHouse } from '@hitherto/testing/clickhouse';
import { type Random, randomOf } from '@hitherto/testing/random';
import { runs } from '@hitherto/testing/runs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, dataFolder, eventually, firstKeyOf, type Service, startService } from './support/program.ts';

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const QUERIES = runs(30, 500);
const BATCHES = 12;
const HITS_PER_BATCH = 60;

const ZONE = 'Asia/Kathmandu';
/** Too many for one page of a list. */
const MANY = Array.from({ length: 20 }, (_, index) => `/é/${index}`);
const PAGES = ['/', '/a', '/a/é', '/blog/1', '/blog/2?x=1', '/%', '/b_c', ...MANY] as const;
const REFERRERS = [
  '',
  'https://www.google.de/',
  'https://news.ycombinator.com/item?id=1',
  'https://shop.example/x',
] as const;
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
] as const;
const ADDRESSES = ['198.51.100.7', '2001:db8::1', '193.99.144.85', '8.8.8.8'] as const;
const STEPS = [
  { name: 'Page', page: '/*' },
  { name: 'Signup', event: 'Signup' },
];
const LANGUAGES = ['de-CH,de;q=0.9', 'fr', 'en-US'] as const;

/** A program with one website, which has goals, a funnel and a segment. */
interface Side {
  readonly service: Service;
  readonly key: string;
  /** Ids, in the order in which they were created on both sides. */
  readonly ids: readonly string[];
}

async function startSide(env: Record<string, string>): Promise<Side> {
  const service = await startService({ DATA_DIR: await dataFolder(), ...env });
  await eventually(() => service.output().stderr.includes('first.key'));
  const key = firstKeyOf(service);
  const create = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const created = await call(service, key, `/api/v1/websites${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await created.text();
    expect(created.status, text).toBe(201);
    return (JSON.parse(text) as { data: { id: string } }).data.id;
  };
  const website = await create('', { url: 'https://example.com', time_zone: ZONE });
  return {
    service,
    key,
    ids: [
      website,
      await create(`/${website}/goals`, { name: 'Signup', event: 'Signup', sum: 'amount' }),
      await create(`/${website}/goals`, { name: 'Blog', page: '/blog/*' }),
      await create(`/${website}/funnels`, { name: 'é', steps: STEPS }),
      await create(`/${website}/segments`, { name: 'Search', filters: { channel: ['Search'] } }),
    ],
  };
}

/** The status of both sides, and the cursors, which differ. */
interface Answered {
  readonly status: number;
  /** On each side, the cursor of the next page if there is one. A cursor holds for the website of its side. */
  readonly cursors: readonly (string | undefined)[];
}

const CURSOR = /(?<=[?&]cursor=)[\w-]+/g;

/** Sends a request to both sides, with the ids and the cursor of each, and compares the responses. */
async function both(
  sides: readonly Side[],
  path: string,
  init: RequestInit = {},
  cursors: Answered['cursors'] = [],
): Promise<Answered> {
  const found = await Promise.all(
    sides.map(async ({ service, key, ids }, side) => {
      const own = (text: string) => text.replaceAll(/ID(\d)/g, (_, place) => ids[Number(place)] ?? '');
      const body = typeof init.body === 'string' ? { body: own(init.body) } : {};
      const cursor = cursors[side] === undefined ? '' : `&cursor=${cursors[side]}`;
      const response = await call(service, key, own(path) + cursor, { ...init, ...body });
      // The two are asked one moment apart.
      const text = (await response.text()).replace(/,"request_id":"[^"]*"|,"until":"[^"]*"/g, '');
      const shared = ids.reduce((all, id, place) => all.replaceAll(id, `ID${place}`), text).replace(CURSOR, 'CURSOR');
      const [, next] = /"next":"[^"]*[?&]cursor=([\w-]+)/.exec(text) ?? [];
      return { next, shared: { status: response.status, text: shared } };
    }),
  );
  expect(found[1]?.shared, path).toEqual(found[0]?.shared);
  return { status: found[0]?.shared.status ?? 0, cursors: found.map(({ next }) => next) };
}

/** A batch of hits of the last day, in any order of time. */
function batchOf(random: Random, now: number): string {
  const hits = Array.from({ length: HITS_PER_BATCH }, () => {
    const isEvent = random.below(4) === 0;
    const props = { plan: random.pick(['free', 'pro']), amount: `${random.below(500)}.${random.below(90) + 10}` };
    return {
      website: 'ID0',
      url: `https://example.com${random.pick(PAGES)}`,
      referrer: random.pick(REFERRERS),
      ...(isEvent ? { name: random.pick(['Signup', 'é']), props } : {}),
      ...(random.below(2) === 0 ? { visitor: `v${random.below(60)}` } : {}),
      ip: random.pick(ADDRESSES),
      user_agent: random.pick(AGENTS),
      language: random.pick(LANGUAGES),
      time: new Date(now - random.below(23 * 3_600_000)).toISOString(),
    };
  });
  return JSON.stringify({ hits });
}

function dimensionOf(random: Random): string {
  return DIMENSIONS[random.below(DIMENSIONS.length)] ?? 'page';
}

/** A random query of the API. */
function queryOf(random: Random, today: string): string {
  const dimension = dimensionOf(random);
  const kind = random.pick([
    '',
    '/series',
    '/series?interval=hour',
    `/by/${dimension}`,
    `/by/${dimension}`,
    `/by/${dimension}`,
    '/by/property?event=Signup&property=plan',
    '/goals',
    '/funnels/ID3',
  ]);
  const canConvert = !/goals|funnels/.test(kind);
  const filters = Array.from({ length: random.below(3) }, () => filterOf(random));
  const parameters = [
    `from=${addDays(today, -random.below(7))}&to=${today}`,
    // A list of properties names the event itself, and the same filter twice is one.
    ...new Set(filters.filter((filter) => !kind.includes('event=') || !filter.startsWith('event='))),
    ...(random.below(4) === 0 ? ['match=any'] : []),
    ...(canConvert && random.below(3) === 0 ? [`conversion=ID${random.below(2) + 1}`] : []),
    ...(kind.startsWith('/by') && random.below(2) === 0 ? [`per_page=${10 + random.below(5)}`] : []),
    ...(kind === '' && random.below(2) === 0 ? ['compare=previous'] : []),
  ];
  return `/api/v1/websites/ID0/statistics${kind}${kind.includes('?') ? '&' : '?'}${parameters.join('&')}`;
}

function filterOf(random: Random): string {
  const operator = random.pick(['', '.not', '.contains', '.not_contains', '.like', '.not_like']);
  const value = random.pick(['a', '/a', '/', 'Firefox', 'Search', 'DE', 'é', '%', 'google', 'desktop', 'fr']);
  const text = encodeURIComponent(operator.endsWith('like') ? `*${value}*` : value);
  return random.pick([
    `${dimensionOf(random)}${operator}=${text}`,
    `page${operator}=${text}`,
    `props[plan]${operator}=${random.pick(['pro', 'p*', 'free'])}`,
    'props[plan]=',
    `goal${random.pick(['', '.not'])}=ID${random.below(2) + 1}`,
    'segment=ID4',
    'source=',
  ]);
}

describe.skipIf(skipsClickHouse)(`two programs, one for each engine (seed ${seed})`, () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(() => server.close());

  test(`give the same responses to ${QUERIES} random queries`, async () => {
    const random = randomOf(seed);
    const sides = await Promise.all([startSide({}), startSide({ CLICKHOUSE_URL: server.url })]);
    const now = Date.now();
    const today = dayOf(timeZone(ZONE), new Date(now));
    const statuses = new Map<number, number>();
    let followed = 0;
    const query = async (path = queryOf(random, today)) => {
      const { status, cursors } = await both(sides, path);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      for (let next = cursors; next[0] !== undefined; followed += 1) next = (await both(sides, path, {}, next)).cursors;
    };

    for (let batch = 0; batch < BATCHES; batch += 1) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': `${batch}` };
      const init = { method: 'POST', headers, body: batchOf(random, now) };
      // A batch that is sent again counts once.
      for (let times = random.below(2); times >= 0; times -= 1) await both(sides, '/api/v1/hits', init);
      for (let count = 0; count < QUERIES / BATCHES / 4; count += 1) await query();
    }
    for (let count = [...statuses.values()].reduce((a, b) => a + b, 0); count < QUERIES; count += 1) await query();
    // Few random lists, or none, have a second page.
    await query(`/api/v1/websites/ID0/statistics/by/page?from=${addDays(today, -2)}&to=${today}&per_page=10`);

    // Many are valid: equal errors would say little.
    expect(statuses.get(200) ?? 0, JSON.stringify([...statuses])).toBeGreaterThan(QUERIES / 2);
    expect([...statuses.keys()].every((status) => status < 500)).toBe(true);
    expect(followed).toBeGreaterThan(0);
  }, 600_000);
});
