import {
  anyString,
  anyValue,
  encode,
  type FuzzedRequest,
  headersOf,
  jsonOf,
  type Names,
  queryOf,
  someOf,
} from './fuzzed-values.ts';
import type { Random } from './random.ts';

const UMAMI = 'f3a1c6a0-2b5e-4f9b-9d3f-6f0f3f4f1001';
const DOMAIN = 'fuzz.example';
/** The aliases of the website that these requests name; GoatCounter's clients name it by the host that they send to. */
export const FUZZED_ALIASES = [UMAMI, DOMAIN, 'matomo:3', 'goatcounter:blog', 'localhost', '127.0.0.1'];

const PAYLOAD: Names = [
  'website',
  'hostname',
  'url',
  'referrer',
  'name',
  'data',
  'tag',
  'timestamp',
  'ip',
  'userAgent',
];
const EVENT: Names = ['n', 'u', 'd', 'r', 'p', 'm', 'i', '$', 'revenue', 'interactive', 'h', 'w'];
const MATOMO: Names = [
  'idsite',
  'rec',
  'url',
  'urlref',
  'e_c',
  'e_a',
  'e_n',
  'e_v',
  'search',
  'idgoal',
  'revenue',
  'link',
];
const MATOMO_CLAIMS: Names = ['cip', 'cdt', 'ua', 'lang', 'token_auth', 'send_image', 'download', 'ping', 'uid', '_id'];
const COUNT: Names = ['p', 't', 'r', 'e', 'b', 'q', 's', 'rnd'];
const API_HIT: Names = [
  'path',
  'event',
  'ref',
  'query',
  'bot',
  'ip',
  'user_agent',
  'created_at',
  'session',
  'location',
];
const ARGUMENTS: Names = [
  'website',
  'from',
  'to',
  'dimension',
  'interval',
  'goals',
  'filters',
  'match',
  'url',
  'ip',
  'search',
];
const QUERY: Names = ['metrics', 'date_range', 'dimensions', 'filters', 'order_by', 'include', 'pagination', 'site_id'];
const V1: Names = [
  'period',
  'date',
  'metrics',
  'filters',
  'property',
  'interval',
  'compare',
  'limit',
  'page',
  'site_id',
];

/** Requests of other products' clients: trackers, server libraries, readers of the Stats API, and assistants. */
export function fuzzedForeignRequest(random: Random, key: string): FuzzedRequest {
  const value = (depth = 3) => anyValue(random, depth);
  const text = () => anyString(random);
  const members = (names: Names, most = 3) => someOf(random, most, names, () => value());
  const texts = (names: Names, fixed: Readonly<Record<string, string>>, most = 4) =>
    queryOf({ ...fixed, ...someOf(random, most, names, text) });
  const post = (path: string, body: unknown): FuzzedRequest => ({ method: 'POST', path, sent: jsonOf(random, body) });
  const list = (item: () => unknown) =>
    Array.from({ length: random.below(6) }, () => (random.below(5) === 0 ? value(2) : item()));
  const withKey = ({ method, path, sent }: FuzzedRequest): FuzzedRequest => {
    const json = { ...sent.headers, 'content-type': 'application/json' };
    return { method, path, sent: { ...sent, headers: { ...json, authorization: `Bearer ${key}` } } };
  };

  const umami = () => {
    const type = random.below(6) > 0 ? 'event' : value(1);
    return { type, payload: { website: UMAMI, hostname: 'example.com', url: '/a', ...members(PAYLOAD, 4) } };
  };
  const matomo = () => {
    const image = random.below(3) === 0 ? { send_image: '0' } : {};
    return texts([...MATOMO, ...MATOMO_CLAIMS], { idsite: '3', rec: '1', url: 'https://example.com/', ...image }, 6);
  };
  const kinds = [
    () => post('/api/send', umami()),
    () => post('/api/batch', list(umami)),
    () => post('/api/event', { n: 'Buy', u: 'https://example.com/', d: DOMAIN, ...members(EVENT, 5) }),
    () => ({ method: random.pick(['GET', 'HEAD', 'POST']), path: `/matomo.php?${matomo()}`, sent: {} }),
    () => ({ method: 'POST', path: '/piwik.php', sent: { body: matomo() } }),
    () => post('/matomo.php', { requests: list(() => `?${matomo()}`), ...members(['token_auth', 'requests'], 2) }),
    () => {
      const path = random.pick(['/count', '/count/blog', `/count/${encode(text())}`]);
      return { method: random.pick(['GET', 'HEAD', 'POST']), path: `${path}?${texts(COUNT, { p: '/a' })}`, sent: {} };
    },
    () => {
      const hit = () => ({ path: '/a', session: 'x', ...members(API_HIT, 4) });
      return withKey(post('/api/v0/count', { hits: list(hit), ...members(['no_sessions', 'filter'], 2) }));
    },
    () => {
      const file = random.pick(['script', 'script.hash', 'pa-', 'plausible', '']) + random.pick(['', '.js', text()]);
      return { method: 'GET', path: `/js/${encode(file)}.js`, sent: {} };
    },
    () => {
      const query = { site_id: DOMAIN, metrics: ['visitors'], date_range: 'day', ...queryMembers(random) };
      return withKey(post('/api/v2/query', { ...query, ...members(QUERY, 2) }));
    },
    () => {
      const path = random.pick(['aggregate', 'timeseries', 'breakdown', 'realtime/visitors']);
      const query = texts(V1, { site_id: DOMAIN, period: '7d', property: 'visit:source' });
      return withKey({ method: 'GET', path: `/api/v1/stats/${path}?${query}`, sent: {} });
    },
    () => withKey({ method: 'GET', path: `/api/v1/sites/${encode(text())}?site_id=${encode(text())}`, sent: {} }),
    () => {
      const call = {
        name: random.pick(['list_websites', 'query_statistics', 'explain_hit', 'dropped_hits', text()]),
        arguments: random.below(3) === 0 ? value() : { website: DOMAIN, ...members(ARGUMENTS, 5) },
      };
      const params = random.below(4) === 0 ? value() : call;
      const rpc = {
        jsonrpc: '2.0',
        id: value(0),
        method: random.pick(['tools/call', 'tools/list', 'initialize', text()]),
      };
      const { method, path, sent } = withKey(post('/mcp', { ...rpc, params }));
      const accept = random.pick(['application/json, text/event-stream', 'application/json', '*/*', '']);
      return { method, path, sent: { ...sent, headers: { ...sent.headers, accept } } };
    },
  ] as const;
  const { method, path, sent }: FuzzedRequest = random.pick(kinds)();
  const claim =
    random.below(6) === 0 ? { authorization: random.pick([`Bearer ${key}`, 'Bearer x', 'Basic Og==', '']) } : {};
  return { method, path, sent: { ...sent, headers: { ...headersOf(random), ...claim, ...sent.headers } } };
}

/** Why a response is not in the form of the other product; `undefined` if it is. */
export function foreignFault(
  { path: url }: Pick<FuzzedRequest, 'path'>,
  { status, type, text }: { readonly status: number; readonly type: string; readonly text: string },
): string | undefined {
  const [path = ''] = url.split('?');
  const isError = status >= 400;
  if (status >= 500) return 'It is an error of the server.';
  // Of HTTP, before the path is known.
  if (status === 431) return undefined;
  if (/^\/api\/(send|batch)$/.test(path)) {
    if (!/^[ -~]*$/.test(text)) return 'Umami 2 sends it back in a header, so it must be printable ASCII.';
    if (isError && typeof JSON.parse(text).error?.message !== 'string') return 'It has no error.message.';
    if (text.includes('disabled')) return 'It turns the tracker off.';
  }
  if (/^\/(matomo|piwik)\.php$|^\/count(\/[^/]*)?$/.test(path)) {
    const isPixel =
      status === 204 || type === 'image/gif' || (type.startsWith('application/json') && path !== '/count');
    if (!isPixel) return 'It is not a pixel.';
  }
  if (/^\/api\/v2\/query$|^\/api\/v1\/(stats|sites)\//.test(path) && isError) {
    if (typeof JSON.parse(text).error !== 'string') return 'It has no error.';
  }
  return undefined;
}

/** Parts of a query of the Stats API, near valid ones. */
function queryMembers(random: Random): object {
  const dimension = () =>
    random.below(8) === 0
      ? anyValue(random, 1)
      : random.pick([
          'visit:source',
          'event:page',
          'event:goal',
          'event:props:plan',
          'time:day',
          'time:hour',
          anyString(random),
        ]);
  const operator = () =>
    random.below(12) === 0
      ? anyValue(random, 1)
      : random.pick(['is', 'is_not', 'contains', 'contains_not', 'matches', 'has_done', 'and', 'or', 'not']);
  const filter = (depth: number): unknown => {
    const inner = depth > 0 && random.below(2) === 0;
    const subject = inner ? (random.below(2) === 0 ? filter(depth - 1) : [filter(depth - 1), filter(0)]) : dimension();
    const values = random.below(8) === 0 ? anyValue(random, 2) : [anyString(random)];
    const more = random.below(12) === 0 ? [anyValue(random, 2)] : [];
    return [operator(), subject, values, { case_sensitive: random.below(2) === 0 }, ...more].slice(0, inner ? 2 : 5);
  };
  const metric = () =>
    random.pick(['visitors', 'visits', 'pageviews', 'events', 'bounce_rate', 'percentage', 'conversion_rate']);
  const many = <T>(most: number, make: () => T) => Array.from({ length: random.below(most) }, make);
  const ranges = [
    '7d',
    '30d',
    'month',
    '12mo',
    'all',
    '24h',
    ['2026-11-01', '2026-11-20'],
    ['9999-12-31', '9999-12-31'],
    anyString(random),
  ] as const;
  return {
    metrics: many(4, metric),
    date_range: random.below(6) === 0 ? anyValue(random, 2) : random.pick(ranges),
    dimensions: many(3, dimension),
    filters: many(3, () => filter(3)),
    include: { [random.pick(['time_labels', 'total_rows', 'imports', 'comparisons'])]: anyValue(random, 2) },
  };
}
