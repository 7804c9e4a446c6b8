import { UNRECORDED } from '@hitherto/domain/changes';
import type { Filter } from '@hitherto/domain/visits';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from '../support/api.ts';
import { aPath, BODIES, create, LIMITS, type Path } from './definitions.ts';

// api.md, "Filters", "Segments", "Goals" and "Funnels": faults are a 422 that names the member. The rules are tested in the domain.

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
const goal = { name: 'a', event: 'x' };
const step = (fields: unknown) => ({ name: 'a', steps: [{ name: 'a', page: '/' }, { name: 'b', page: '/' }, fields] });
const segment = (filters: unknown) => ({ name: 'a', filters });

const CASES: [Path, string, unknown, string[]][] = [
  ['segments', 'filters as a list', segment([]), ['filters invalid_type']],
  ['segments', 'a value instead of a list', segment({ 'country.not': 'DE' }), ['filters.country.not invalid_type']],
  ['segments', 'a number as a value', segment({ 'props[a].like': ['x', 1] }), ['filters.props[a].like invalid_type']],
  ['segments', '21 values', segment({ page: Array(21).fill('x') }), ['filters.page too_many']],
  [
    'segments',
    'hostile names',
    segment({ '<b>é': ['x'], __proto__x: [] }),
    ['filters._b__ unknown', 'filters.__proto__x unknown'],
  ],
  ['segments', 'another match', { ...segment({ os: ['x'] }), match: 'none' }, ['match not_allowed']],
  ['segments', 'an unknown goal', segment({ 'goal.not': [GONE] }), ['filters.goal.not unknown_goal']],
  ['goals', 'both', { ...goal, page: '/' }, ['page not_allowed']],
  ['goals', 'neither', { name: 'a', event: null, page: null }, ['event required']],
  ['goals', 'a name that is null', { ...goal, name: null }, ['name invalid_type']],
  ['goals', 'a page that is a number', { name: 'a', page: 1 }, ['page invalid_type']],
  ['goals', 'a number as a property', { ...goal, props: { plan: 1 } }, ['props.plan invalid_type']],
  ['goals', 'a long property', { ...goal, props: { plan: 'x'.repeat(201) } }, ['props.plan too_long']],
  ['goals', 'an unknown member', { ...goal, steps: [] }, ['steps unknown']],
  ['funnels', 'nine steps', { name: 'a', steps: Array(9).fill({ name: 'a', page: '/' }) }, ['steps too_many']],
  ['funnels', 'a step without a rule', step({ name: 'c' }), ['steps.2.event required']],
  ['funnels', 'a step with a sum', step({ name: 'c', event: 'x', sum: 'y' }), ['steps.2.sum unknown']],
  ['funnels', 'a step that is text', step('/'), ['steps.2 invalid_type']],
];

test.each(['segments', 'goals', 'funnels'] as const)('a create of %s with nothing is rejected', async (path) => {
  expect((await api.send('POST', all[path] ?? '', { json: {} })).faults()).toContain('name required');
});

test.each(CASES)('a create or an update of %s with %s is rejected', async (path, _, json, faults) => {
  const before = await api.send('GET', one[path] ?? '');

  const responses = [
    await api.send('POST', all[path] ?? '', { json }),
    await api.send('PATCH', one[path] ?? '', { json }),
  ];

  for (const response of responses) expect(response.faults().sort()).toEqual(faults.toSorted());
  expect((await api.send('GET', one[path] ?? '')).text).toBe(before.text);
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
