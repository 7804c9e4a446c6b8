import { DIMENSIONS } from '@hitherto/domain/hits';
import { type Filter, OPERATORS, readFilters } from '@hitherto/domain/visits';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldsOfFilters, readFilterRows, typedFilters } from '../src/owner/resources/definitions/filter-rows.ts';

test('filters that were typed are read back from the form as they are', () => {
  const names = fc.oneof(
    fc.tuple(fc.constantFrom(...DIMENSIONS), fc.constantFrom('', ...OPERATORS.map((operator) => `.${operator}`))),
    fc.tuple(fc.constantFrom('props[plan]', 'props[a.b]', 'props[x]y.not]'), fc.constantFrom('', '.not', '.like')),
  );
  const values = fc.uniqueArray(
    fc.constantFrom(
      'DE',
      'de',
      'Germany',
      'Unknown',
      '/%C3%BC/*',
      'TV',
      'tv',
      'Direct',
      'xn--bcher-kva.example',
      'No event',
    ),
    { minLength: 1, maxLength: 4 },
  );
  const sets = fc.uniqueArray(fc.tuple(names, values), { minLength: 1, maxLength: 10, selector: ([[a, b]]) => a + b });

  fc.assert(
    fc.property(sets, (parameters) => {
      const filters: readonly Filter[] = readFilters(
        parameters.map(([name, list]) => [name.join(''), list] as const),
        false,
      ).filters;

      const { filters: read, faults } = readFilterRows(fieldsOfFilters(filters, { goals: [] }), { goals: [] });

      expect([readFilters(read, false).filters, faults]).toEqual([typedFilters(filters), []]);
    }),
  );
});
