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

const HIT_MEMBERS = ['website', 'url', 'referrer', 'name', 'props', 'w', 'other', '__proto__'] as const;
const EVENT_MEMBERS = ['n', 'name', 'u', 'url', 'd', 'domain', 'r', 'referrer', 'p', 'props', 'm', 'meta'] as const;
const FORM_MEMBERS = ['password', 'key', 'url', 'privacy', 'next'] as const;
const FILTERS = ['source', 'page', 'event', 'property'] as const;
const QUERY_NAMES = ['period', 'from', 'to', 'metric', 'cursor', 'compare', ...FILTERS] as const;
const LISTS = ['page', 'page.csv', 'source', 'property', 'property.csv', 'country', 'x', '%00'] as const;

/** A request to the collector or to a page, near a valid one. */
export function fuzzedRequest(random: Random, website: string): FuzzedRequest {
  const id = random.below(4) > 0 ? website : anyString(random);
  const page = `/statistics/${encode(id)}`;
  const query = (names: Names, fixed = {}) =>
    queryOf({ ...fixed, ...someOf(random, 4, names, () => anyString(random)) });
  const read = (path: string) => ({ method: 'GET', path: `${path}?${query(QUERY_NAMES)}`, sent: {} });
  const report = (path: string, valid: object, names: Names) => {
    const members = someOf(random, 3, names, () => anyValue(random, 3));
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
      if (random.below(4) > 0) return { method: 'POST', path, sent: { form: query(FORM_MEMBERS) } };
      const json = jsonOf(
        random,
        someOf(random, 4, FORM_MEMBERS, () => anyValue(random, 2)),
      );
      return { method: 'POST', path, sent: { ...json, headers: { 'content-type': 'application/json' } } };
    },
  ] as const;
  const { method, path, sent }: FuzzedRequest = random.pick(kinds)();
  return { method, path, sent: { ...sent, headers: { ...headersOf(random), ...sent.headers } } };
}
