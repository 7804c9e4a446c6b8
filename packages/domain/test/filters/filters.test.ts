import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aCountedHit, histories } from '../../../testing/src/fixtures.ts';
import { DIMENSIONS } from '../../src/hits/dimensions.ts';
import type { CountedHit } from '../../src/hits/hit.ts';
import { compileFilters, type Filter, type GoalRules } from '../../src/visits/filters.ts';
import { readFilters } from '../../src/visits/read-filters.ts';
import { type Visit, visitsOf } from '../../src/visits/visits.ts';

const GOALS: GoalRules = new Map([
  ['signup', { event: 'Signup', props: {} }],
  ['pro', { event: 'Signup', props: { plan: 'pro' } }],
  ['blog', { page: '/blog/*' }],
]);

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute));

function visitOf(...hits: readonly Partial<CountedHit>[]): Visit {
  const [visit] = visitsOf(hits.map((hit, minute) => aCountedHit({ time: at(minute), ...hit })));
  if (visit === undefined) throw new Error('These hits make no visit.');
  return visit;
}

function filtersOf(query: string): readonly Filter[] {
  const names = new URLSearchParams(query);
  const read = readFilters(
    [...new Set(names.keys())].map((name) => [name, names.getAll(name)] as const),
    true,
  );
  expect(read.faults).toEqual([]);
  return read.filters;
}

function isChosen(query: string, visit: Visit, match: 'all' | 'any' = 'all'): boolean {
  return compileFilters([{ match, filters: filtersOf(query) }], GOALS)(visit);
}

const visit = visitOf(
  { page: '/a', country: 'DE', source: null },
  { page: '/Blog/é', country: 'FR' },
  { page: '/a', name: 'Signup', props: { plan: 'pro', seats: 3, note: '' } },
  { page: '/a', name: 'Signup', props: { plan: 'free' } },
);
const bare = visitOf({ page: '/a', name: 'Ping', props: null });

describe('A filter', () => {
  test.each([
    ['country=DE', true],
    ['country=FR', false],
    ['country=FR&country=DE', true],
    ['country.not=FR', true],
    ['country.not=FR&country.not=DE', false],
    ['source=', true],
    ['source.not=', false],
    ['source.not=Google', true],
    ['source=&source=Google', true],
    ['page=/Blog/é', true],
    ['page=/blog/é', false],
    ['page.not=/b', true],
    ['page.not=/a', false],
    ['page.contains=bLOG', true],
    ['page.contains=É', false],
    ['page.not_contains=blog', false],
    ['page.like=/Blog/*', true],
    ['page.like=/blog/*', false],
    ['page.not_like=/blog/*', true],
    ['event=Signup', true],
    ['event=', false],
    ['source.contains=x', false],
    ['source.not_contains=x', true],
    ['source.like=*', false],
    ['props[plan]=pro', true],
    ['props[plan]=pro&props[seats]=3', true],
    ['props[plan]=gone', false],
    ['props[plan].not=pro', false],
    ['props[seats]=3', true],
    ['props[seats].like=3*', true],
    ['props[note]=', true],
    ['props[note].not=', false],
    ['props[plan]=', false],
    ['props[other]=', true],
    ['props[__proto__]=', true],
    ['props[toString]=', true],
    ['goal=signup', true],
    ['goal=blog', false],
    ['goal=blog&goal=pro', true],
    ['goal.not=blog', true],
    ['goal.not=signup', false],
    ['goal=gone', false],
    ['goal.not=gone', true],
  ])('%s chooses a visit: %j', (query, expected) => {
    expect(isChosen(query, visit)).toBe(expected);
  });

  test('by page judges pageviews, not events', () => {
    expect(isChosen('page=/a', bare)).toBe(false);
    expect(isChosen('page=', bare)).toBe(true);
    expect(isChosen('page.not=/a', bare)).toBe(true);
  });

  test('by a property judges each filter on its own', () => {
    expect(isChosen('props[plan]=free&props[seats]=3', visit)).toBe(true);
  });

  test('a goal with a property wants it on the same event', () => {
    const goals: GoalRules = new Map([['both', { event: 'Signup', props: { plan: 'free', seats: '3' } }]]);
    const chooses = compileFilters([{ match: 'all', filters: filtersOf('goal=both') }], goals);

    expect(chooses(visit)).toBe(false);
  });
});

describe('Several filters', () => {
  test('all must match, or any', () => {
    expect(isChosen('country=DE&page=/gone', visit)).toBe(false);
    expect(isChosen('country=DE&page=/gone', visit, 'any')).toBe(true);
    expect(isChosen('country=FR&page=/gone', visit, 'any')).toBe(false);
  });

  test('every set must match, whatever the others say', () => {
    const sets = [
      { match: 'any' as const, filters: filtersOf('country=DE&page=/gone') },
      { match: 'all' as const, filters: filtersOf('source.not=') },
    ];

    expect(compileFilters(sets, GOALS)(visit)).toBe(false);
    expect(compileFilters(sets.slice(0, 1), GOALS)(visit)).toBe(true);
    expect(compileFilters([], GOALS)(visit)).toBe(true);
  });
});

const values = fc.constantFrom('', 'a', 'A', 'B', 'é', '/', '/a', '/B', 'Search', 'DE', 'Firefox', 'Signup', '1', 'x*');
const filters: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    kind: fc.constant('dimension' as const),
    dimension: fc.constantFrom(...DIMENSIONS),
    comparator: fc.constantFrom('is' as const, 'contains' as const, 'like' as const),
    isNegated: fc.boolean(),
    values: fc.array(values, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('property' as const),
    property: fc.constantFrom('plan', 'é', '__proto__'),
    comparator: fc.constantFrom('is' as const, 'contains' as const, 'like' as const),
    isNegated: fc.boolean(),
    values: fc.array(values, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('goal' as const),
    isNegated: fc.boolean(),
    goals: fc.array(fc.constantFrom('signup', 'pro', 'blog', 'gone'), { minLength: 1, maxLength: 2 }),
  }),
);

describe('Of any history', () => {
  test('a filter and its negation split the visits in two', () => {
    fc.assert(
      fc.property(histories(), filters, ({ hits }, filter) => {
        const chosen = (isNegated: boolean) =>
          visitsOf(hits).filter(compileFilters([{ match: 'all', filters: [{ ...filter, isNegated }] }], GOALS));
        const all = visitsOf(hits);

        expect(chosen(true).length + chosen(false).length).toBe(all.length);
        expect(
          new Set([...chosen(true), ...chosen(false)].map((one) => all.findIndex((a) => isSame(a, one)))).size,
        ).toBe(all.length);
      }),
    );
  });

  test('all is the intersection of the filters, any is their union', () => {
    fc.assert(
      fc.property(histories(), fc.array(filters, { minLength: 1, maxLength: 4 }), ({ hits }, several) => {
        const choices = several.map((filter) => compileFilters([{ match: 'all', filters: [filter] }], GOALS));
        const all = compileFilters([{ match: 'all', filters: several }], GOALS);
        const any = compileFilters([{ match: 'any', filters: several }], GOALS);

        for (const one of visitsOf(hits)) {
          expect(all(one)).toBe(choices.every((isOne) => isOne(one)));
          expect(any(one)).toBe(choices.some((isOne) => isOne(one)));
        }
      }),
    );
  });
});

function isSame(a: Visit, b: Visit): boolean {
  return a.day === b.day && a.visitor === b.visitor && a.first.time.getTime() === b.first.time.getTime();
}
