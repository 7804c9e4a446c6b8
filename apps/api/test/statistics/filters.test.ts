import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../definitions/definitions.ts';
import { type Api, startApi } from '../support/api.ts';
import { addHits, anExample } from './histories.ts';

// api.md, "Filters": on every read. The domain's own tests have the meaning of each operator.

const GONE = '01997c3e-0000-7000-8000-00000000dead';
const SEGMENT = '01997c3e-0000-7000-8000-0000000005e6';

let api: Api;
let id: string;
let signup: string;
let searchers: string;
beforeAll(async () => {
  api = await startApi();
  id = await anExample(api);
  const website = `/api/v1/websites/${id}`;
  signup = (await create(api, `${website}/goals`, { name: 'Signup', event: 'Signup' })).data.id;
  const filters = { channel: ['Search'] };
  searchers = (await create(api, `${website}/segments`, { name: 'Searchers', filters })).data.id;
});
afterAll(() => api.app.close());

const show = (query: string, path = '') => api.send('GET', `/api/v1/websites/${id}/statistics${path}?${query}`);
const visitsOf = async (query: string) => {
  const response = await show(query);
  expect(response.status, response.text).toBe(200);
  return response.json<{ data: { visits: number } }>().data.visits;
};
const repeated = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}=${index}`).join('&');

describe('filters with operators choose visits', () => {
  test.each([
    ['source=Google&source=', 3],
    ['source.not=', 1],
    ['page.contains=B', 2],
    ['page=/%2562', 2],
    ['page.like=/%2562*', 2],
    ['page.like=%2F%5C*', 0],
    ['props[plan]=pro', 1],
    ['props%5Bplan%5D=pro', 1],
    ['source=Google&event.not=Signup', 0],
    ['source=Google&event.not=Signup&match=any', 3],
    ['match=any', 3],
  ])('%s: %i visits', async (query, visits) => {
    expect(await visitsOf(query)).toBe(visits);
  });

  test('goals and segments, in any letter case; a segment must match next to the other filters', async () => {
    expect(await visitsOf(`goal=${signup}`)).toBe(1);
    expect(await visitsOf(`goal=${signup.toUpperCase()}`)).toBe(1);
    expect(await visitsOf(`goal.not=${signup}`)).toBe(2);
    expect(await visitsOf(`segment=${searchers}`)).toBe(1);
    expect(await visitsOf(`segment=${searchers.toUpperCase()}&page=/b`)).toBe(1);
    expect(await visitsOf(`segment=${searchers}&page=/b&page=/%C3%A9&source=&match=any`)).toBe(1);
    expect(await visitsOf(`segment=${searchers}&event.not=Signup`)).toBe(0);
  });

  test('a segment with a deleted goal answers as if no visit had reached it', async () => {
    const website = `/api/v1/websites/${id}`;
    const goal = await create(api, `${website}/goals`, { name: 'gone', event: 'Signup' });
    const filters = { goal: [goal.data.id] };
    const { data } = await create(api, `${website}/segments`, { name: 'gone', filters });
    const before = await visitsOf(`segment=${data.id}`);
    await api.send('DELETE', goal.one);

    expect([before, await visitsOf(`segment=${data.id}`)]).toEqual([1, 0]);
  });
});

describe('every read takes them', () => {
  test.each([
    ['', ''],
    ['/series', ''],
    ['/by/page', ''],
    ['/by/event', ''],
    ['/by/property', 'event=Signup&property=plan&'],
    ['/goals', ''],
  ])('…/statistics%s', async (path, own) => {
    const all = await show(own, path);
    const none = await show(`${own}page.not_like=*&props[plan].not=pro&match=all&segment=${searchers}`, path);
    const refused = await show(`${own}country.foo=x&segment.not=x&segment=${GONE}`, path);
    const unknown = await show(`${own}goal.not=${GONE}&segment=${SEGMENT}&page=/a`, path);

    expect([all.status, none.status]).toEqual([200, 200]);
    expect(none.text).not.toBe(all.text);
    expect(refused.faults()).toEqual(['country.foo unknown', 'segment.not unknown']);
    expect(unknown.faults()).toEqual(['goal.not unknown_goal', 'segment unknown_segment']);
  });

  test('in by/property event names the list, and event.not is a filter', async () => {
    const own = 'event=Signup&property=plan';

    const negated = await show(`${own}&event.not=Signup`, '/by/property');
    const repeatedEvent = await show(`${own}&event=Login`, '/by/property');

    expect(negated.json<{ data: unknown[] }>().data).toEqual([]);
    expect(repeatedEvent.faults()).toEqual(['event repeated']);
  });

  test('a goal or segment of another website is unknown', async () => {
    const other = await api.createWebsite();

    const response = await api.send(
      'GET',
      `/api/v1/websites/${other.id}/statistics?goal=${signup}&segment=${searchers}&conversion=${signup}`,
    );

    expect(response.faults()).toEqual(['goal unknown_goal', 'segment unknown_segment', 'conversion unknown_goal']);
  });
});

describe('every bound is a 422 that names the parameter', () => {
  test.each([
    [repeated('country.not', 21), ['country.not too_many']],
    [`page=a&page=${'x'.repeat(2_001)}`, ['page too_long']],
    ['props[plan].not_like=', ['props[plan].not_like required']],
    ['toString=x&__proto__=x', ['toString unknown', '__proto__ unknown']],
    [`props[${'x'.repeat(41)}]=x`, [`props[${'x'.repeat(41)}] invalid_name`]],
    ['page=a&page=%00', ['page not_allowed']],
    ['a.b=%00', ['a.b not_allowed']],
    ['match=none', ['match not_allowed']],
    ['match=', ['match not_allowed']],
    [`goal.not=${'x'.repeat(2_001)}`, ['goal.not too_long']],
    ['segment=x&segment=y', ['segment repeated']],
    ['conversion=x&conversion=y', ['conversion repeated']],
    [`${Array.from({ length: 10 }, (_, index) => `props[${index}]=x`).join('&')}&segment=x`, ['segment too_many']],
  ])('%s', async (query, faults) => {
    const response = await show(query);

    expect(response.status).toBe(422);
    expect(response.faults()).toEqual(faults);
  });

  test('ten filters of twenty values are accepted', async () => {
    const query = Array.from({ length: 10 }, (_, index) => repeated(`props[${index}].not_like`, 20)).join('&');

    expect(await visitsOf(`from=2026-11-20&to=2026-11-20&match=all&${query}`)).toBe(3);
  });

  test('more than 256 parameters are 400', async () => {
    expect((await show(repeated('x', 257))).problem().code).toBe('bad_request');
  });

  test('the details say what is accepted', async () => {
    const { errors = [] } = (await show('country.foo=x&nonsense=1')).problem();

    expect(errors[0]?.detail).toContain('.not, .contains');
    expect(errors[1]?.detail).toMatch(
      /Filters are page, .*props\[NAME\], goal and bounce.*compare, conversion, match, hidden, segment/,
    );
  });
});

describe('pages of a list with filters', () => {
  let long: string;
  beforeAll(async () => {
    long = (await api.createWebsite()).id;
    await addHits(
      api,
      long,
      Array.from({ length: 15 }, (_, index) => ({ visitor: BigInt(index), page: `/p${index}` })),
    );
  });

  interface Linked {
    readonly links: { readonly next: string | null };
    readonly data: readonly unknown[];
  }
  const list = (query: string) => api.send('GET', `/api/v1/websites/${long}/statistics/by/page?${query}`);

  test('links carry all filters, and their cursor belongs to them and their match', async () => {
    const filters = 'page.like=/p*&page.like=/q*&country.not=FR&props%5Ba.b%5D.not=%C3%A9%26&match=any';
    const first = (await list(filters)).json<Linked>();
    const next = first.links.next ?? '';
    const cursor = new URLSearchParams(next.split('?')[1]).get('cursor') ?? '';

    const second = await api.send('GET', next);
    const turned = await list(
      `match=any&country.not=FR&props[a.b].not=%C3%A9%26&page.like=/p*&page.like=/q*&cursor=${cursor}`,
    );
    const others = [
      filters.replace('any', 'all'),
      filters.replace('FR', 'DE'),
      filters.replace('country.not', 'country'),
      `${filters}&os=x`,
    ];

    expect([...new URLSearchParams(next.split('?')[1])].filter(([name]) => name.startsWith('page'))).toEqual([
      ['page.like', '/p*'],
      ['page.like', '/q*'],
    ]);
    expect([first.data.length, second.json<Linked>().data.length, turned.status]).toEqual([10, 5, 200]);
    for (const query of others)
      expect((await list(`${query}&cursor=${cursor}`)).faults()).toEqual(['cursor invalid_cursor']);
  });

  test('a Link header that is too long for proxies is left out; the body has the links', async () => {
    const short = await list('page.like=/p*');
    const large = await list(`page.like=/p*&page.like=${'x'.repeat(2_000)}`);

    expect(short.header('link')).toContain('page.like=/p*');
    expect([large.status, large.header('link')]).toEqual([200, undefined]);
    expect(large.json<Linked>().links.next).toContain('x'.repeat(2_000));
  });
});
