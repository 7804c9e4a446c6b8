import { UNRECORDED } from '@hitherto/domain/changes';
import type { Filter } from '@hitherto/domain/visits';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from '../support/api.ts';
import { aPath, BODIES, create, LIMITS, type Path } from './definitions.ts';

// Every bound of api.md, "Filters", "Segments", "Goals" and "Funnels", is a 422 that names the member.

let api: Api;
const all: Partial<Record<Path, string>> = {};
const one: Partial<Record<Path, string>> = {};
beforeAll(async () => {
  api = await startApi();
  for (const path of ['segments', 'goals', 'funnels'] as const) {
    all[path] = await aPath(api, path);
    one[path] = (await create(api, all[path] ?? '', BODIES[path])).one;
  }
});
afterAll(() => api.app.close());

function likeFilter(property: string, values: readonly string[]): Filter {
  return { kind: 'property', property, comparator: 'like', isNegated: false, values };
}

const GONE = '01997c3e-0000-7000-8000-00000000dead';
const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`props[a${index}]`, ['x']]));
const goal = { name: 'a', event: 'x' };
const step = (fields: unknown) => ({ name: 'a', steps: [{ name: 'a', page: '/' }, { name: 'b', page: '/' }, fields] });
const segment = (filters: unknown) => ({ name: 'a', filters });

const CASES: [Path, string, unknown, string[]][] = [
  ['segments', 'nothing', {}, ['name required', 'filters required']],
  ['segments', 'no filters', segment({}), ['filters required']],
  ['segments', 'filters as a list', segment([]), ['filters invalid_type']],
  ['segments', 'a value instead of a list', segment({ 'country.not': 'DE' }), ['filters.country.not invalid_type']],
  [
    'segments',
    'a number as a value',
    segment({ 'props[a].like': ['x', 1, 2] }),
    ['filters.props[a].like invalid_type'],
  ],
  ['segments', 'no values', segment({ 'country.not': [] }), ['filters.country.not required']],
  ['segments', '21 values', segment({ page: Array(21).fill('x') }), ['filters.page too_many']],
  [
    'segments',
    'a value of 2,001 characters',
    segment({ 'page.like': ['*'.repeat(2_001)] }),
    ['filters.page.like too_long'],
  ],
  ['segments', 'a NUL', segment({ page: ['\0'] }), ['filters.page not_allowed']],
  ['segments', 'a lone surrogate', segment({ 'props[a]': ['\ud800'] }), ['filters.props[a] not_allowed']],
  ['segments', 'an empty pattern', segment({ 'page.like': [''] }), ['filters.page.like required']],
  [
    'segments',
    'an empty text to contain',
    segment({ 'page.not_contains': [''] }),
    ['filters.page.not_contains required'],
  ],
  ['segments', 'an unknown operator', segment({ 'country.foo': ['x'] }), ['filters.country.foo unknown']],
  ['segments', 'an unknown dimension', segment({ 'contry.not': ['x'] }), ['filters.contry.not unknown']],
  [
    'segments',
    'a hostile name',
    segment({ '<b>é': ['x'], __proto__x: ['x'] }),
    ['filters._b__ unknown', 'filters.__proto__x unknown'],
  ],
  ['segments', 'a segment', segment({ segment: ['x'] }), ['filters.segment unknown']],
  ['segments', 'a pattern of goals', segment({ 'goal.like': ['x'] }), ['filters.goal.like unknown']],
  ['segments', 'a property without a name', segment({ 'props[].not': ['x'] }), ['filters.props[].not invalid_name']],
  ['segments', 'eleven filters', segment(eleven), ['filters.props[a10] too_many']],
  ['segments', 'another match', { ...segment({ os: ['x'] }), match: 'none' }, ['match not_allowed']],
  ['segments', 'an unknown goal', segment({ 'goal.not': [GONE] }), ['filters.goal.not unknown_goal']],
  ['goals', 'nothing', {}, ['name required', 'event required']],
  ['goals', 'both', { ...goal, page: '/' }, ['page not_allowed']],
  ['goals', 'neither', { name: 'a', event: null, page: null }, ['event required']],
  ['goals', 'a name of 65 characters', { ...goal, name: '🦊'.repeat(65) }, ['name too_long']],
  ['goals', 'an empty name', { ...goal, name: '' }, ['name required']],
  ['goals', 'a name that is null', { ...goal, name: null }, ['name invalid_type']],
  ['goals', 'a name with a NUL', { ...goal, name: 'a\0' }, ['name invalid_name']],
  ['goals', 'an event of 65 characters', { name: 'a', event: 'x'.repeat(65) }, ['event too_long']],
  ['goals', 'a page of 2,001 characters', { name: 'a', page: '/'.repeat(2_001) }, ['page too_long']],
  ['goals', 'a page that is a number', { name: 'a', page: 1 }, ['page invalid_type']],
  ['goals', 'a number as a property', { ...goal, props: { plan: 1 } }, ['props.plan invalid_type']],
  [
    'goals',
    'eleven properties',
    { ...goal, props: Object.fromEntries(Object.keys(eleven).map((name) => [name, 'x'])) },
    ['props too_many'],
  ],
  ['goals', 'a long property', { ...goal, props: { plan: 'x'.repeat(201) } }, ['props.plan too_long']],
  [
    'goals',
    'a property with a long name',
    { ...goal, props: { ['p'.repeat(41)]: 'x' } },
    [`props.${'p'.repeat(41)} invalid_name`],
  ],
  ['goals', 'a sum of 41 characters', { ...goal, sum: 'x'.repeat(41) }, ['sum too_long']],
  ['goals', 'properties of a page', { name: 'a', page: '/', props: { a: 'b' }, sum: 'c' }, ['props not_allowed']],
  ['goals', 'an unknown member', { ...goal, steps: [] }, ['steps unknown']],
  ['funnels', 'nothing', {}, ['name required', 'steps required']],
  ['funnels', 'one step', { name: 'a', steps: [{ name: 'a', page: '/' }] }, ['steps not_allowed']],
  ['funnels', 'nine steps', { name: 'a', steps: Array(9).fill({ name: 'a', page: '/' }) }, ['steps too_many']],
  ['funnels', 'a step without a name', step({ page: '/' }), ['steps.2.name required']],
  ['funnels', 'a step without a rule', step({ name: 'c' }), ['steps.2.event required']],
  ['funnels', 'a step with both', step({ name: 'c', event: 'x', page: '/' }), ['steps.2.page not_allowed']],
  ['funnels', 'a step with an empty page', step({ name: 'c', page: '' }), ['steps.2.page required']],
  ['funnels', 'a step with a sum', step({ name: 'c', event: 'x', sum: 'y' }), ['steps.2.sum unknown']],
  ['funnels', 'a step with a long page', step({ name: 'c', page: '*'.repeat(4_000) }), ['steps.2.page too_long']],
  ['funnels', 'a step that is text', step('/'), ['steps.2 invalid_type']],
];

describe('a create with', () => {
  test.each(CASES)('%s: %s is rejected', async (path, _, json, faults) => {
    const response = await api.send('POST', all[path] ?? '', { json });

    expect(response.status).toBe(422);
    expect(response.faults().sort()).toEqual(faults.toSorted());
  });
});

describe('an update with', () => {
  test.each(CASES.filter(([, name]) => name !== 'nothing' && name !== 'properties of a page'))(
    '%s: %s is rejected',
    async (path, _, json, faults) => {
      const before = await api.send('GET', one[path] ?? '');

      const response = await api.send('PATCH', one[path] ?? '', { json });

      expect(response.status).toBe(422);
      expect(response.faults().sort()).toEqual(faults.toSorted());
      expect((await api.send('GET', one[path] ?? '')).text).toBe(before.text);
    },
  );
});

describe('the bounds themselves are accepted', () => {
  test('ten filters of 20 values of 2,000 characters', async () => {
    const values = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(2_000, '*'));
    const filters = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`props[${index}].like`, values]));

    const { one } = await create(api, all.segments ?? '', { name: 'x'.repeat(64), filters });

    expect((await api.send('GET', one)).json()).toMatchObject({ data: { filters } });
  });

  test('as many segments as a website may have, each as large as it may be, in one list', async () => {
    const repositories = createInMemoryRepositories();
    const own = await startApiForTest({ repositories });
    const { id: websiteId } = await own.createWebsite();
    const values = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(2_000, 'é'));
    const filters = Array.from({ length: 10 }, (_, index) => likeFilter(`${index}`, values));
    const at = new Date();
    for (let index = 0; index < LIMITS.segments; index += 1) {
      const content = { match: 'all', filters } as const;
      const segment = { id: newId(), name: `${index}`, content, createdAt: at, updatedAt: at };
      await repositories.definitions.segment.insert({ accountId: own.accountId, websiteId }, segment, UNRECORDED);
    }

    const { status, text } = await own.send('GET', `/api/v1/websites/${websiteId}/segments`);

    expect(status).toBe(200);
    expect(Buffer.byteLength(text)).toBeGreaterThan(LIMITS.segments * 790_000);
  });

  test('a goal and a funnel as large as they may be', async () => {
    const props = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`${index}${'🦊'.repeat(39)}`, '🦊'.repeat(200)]),
    );
    const name = '🦊'.repeat(64);

    await create(api, all.goals ?? '', { name, event: name, props, sum: '🦊'.repeat(40) });
    await create(api, all.goals ?? '', { name: 'b', page: '🦊'.repeat(2_000) });
    await create(api, all.funnels ?? '', { name, steps: Array(8).fill({ name, event: name, props }) });
  });
});

describe('hostile bodies', () => {
  test('a million nested values are rejected at once', async () => {
    const bodies = [
      { name: 'a', filters: { os: Array(300_000).fill(1) } },
      { name: 'a', filters: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [index, 1])) },
    ];
    const start = process.cpuUsage();

    const responses = [];
    for (const json of bodies) responses.push(await api.send('POST', all.segments ?? '', { json }));
    responses.push(await api.send('POST', all.funnels ?? '', { json: { name: 'a', steps: Array(400_000).fill(1) } }));

    expect(responses.map(({ status }) => status)).toEqual([422, 422, 422]);
    for (const response of responses) expect(response.faults().length).toBeLessThanOrEqual(100);
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(3_000);
  });

  test('more than 64 fields are 400, more than 1 MiB is 413', async () => {
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`m${index}`, 1]));

    const refused = await api.send('POST', all.goals ?? '', { json: many });
    const large = await api.send('POST', all.goals ?? '', { json: { name: 'x'.repeat(1_048_576) } });

    expect([refused.status, large.status]).toEqual([400, 413]);
  });
});
