import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { histories } from '../../../testing/src/fixtures.ts';
import { DIMENSIONS, type Dimension } from '../../src/hits/dimensions.ts';
import { addDecimals } from '../../src/visits/conversions.ts';
import { allOf, compileFilters, valueFilter } from '../../src/visits/filters.ts';
import { valuesOf } from '../../src/visits/values.ts';
import { type Visit, visitsOf } from '../../src/visits/visits.ts';

const sum = (visits: readonly Visit[], count: (visit: Visit) => number) =>
  visits.reduce((total, visit) => total + count(visit), 0);

interface ValueFilter {
  readonly dimension: Dimension;
  readonly value: string | null;
}

const chosenBy = (filters: readonly ValueFilter[]) =>
  compileFilters(allOf(filters.map(({ dimension, value }) => valueFilter(dimension, value))), new Map());

/** A history with filters by values that its visits have, or by none. */
const filtered = histories()
  .filter(({ hits }) => hits.length > 0)
  .chain(({ hits }) => {
    const visits = visitsOf(hits);
    const filter = fc.tuple(fc.constantFrom(...DIMENSIONS), fc.nat()).map(([dimension, index]) => {
      const values = [null, ...visits.flatMap((visit) => valuesOf(visit, dimension))];
      return { dimension, value: values[index % values.length] ?? null };
    });
    return fc.record({ visits: fc.constant(visits), filters: fc.array(filter, { maxLength: 3 }) });
  });

describe('under any filter', () => {
  test('the visits by any dimension but page and event add up to all chosen visits', () => {
    fc.assert(
      fc.property(filtered, ({ visits, filters }) => {
        const chosen = visits.filter(chosenBy(filters));

        for (const dimension of DIMENSIONS.filter((name) => name !== 'page' && name !== 'event')) {
          expect(sum(chosen, (visit) => valuesOf(visit, dimension).length)).toBe(chosen.length);
        }
      }),
    );
  });

  test('the pageviews by page and the events by name add up to those of the chosen visits', () => {
    fc.assert(
      fc.property(filtered, ({ visits, filters }) => {
        const chosen = visits.filter(chosenBy(filters));
        const hitsOf = (visit: Visit, page: string | null, name: string | null) =>
          visit.hits.filter((hit) => hit.name === name && (page === null || hit.page === page)).length;

        const byPage = sum(chosen, (visit) =>
          valuesOf(visit, 'page').reduce((total, page) => total + hitsOf(visit, page, null), 0),
        );
        const byEvent = sum(chosen, (visit) =>
          valuesOf(visit, 'event').reduce((total, name) => total + hitsOf(visit, null, name), 0),
        );

        expect(byPage).toBe(sum(chosen, (visit) => visit.pageviews));
        expect(byEvent).toBe(sum(chosen, (visit) => visit.events));
      }),
    );
  });

  test('a filter chooses exactly the visits that have its value', () => {
    fc.assert(
      fc.property(filtered, ({ visits, filters: [filter] }) => {
        if (filter === undefined || filter.value === null) return;

        const having = visits.filter((visit) => valuesOf(visit, filter.dimension).includes(filter.value));

        expect(visits.filter(chosenBy([filter]))).toEqual(having);
      }),
    );
  });
});

test('any number of decimals add up', () => {
  const decimals = Array.from({ length: 150_000 }, () => ({ digits: 1n, places: 3 }));

  expect(addDecimals(decimals)).toBe('150.00');
});
