import { DIMENSIONS } from '@hitherto/domain/hits';
import { type Filter, OPERATORS, readFilters } from '@hitherto/domain/visits';
import { LANGUAGES, localeOf } from '@hitherto/words';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldsOfFilters, readFilterRows, typedFilters } from '../src/owner/resources/definitions/filter-rows.ts';

test.each(LANGUAGES)('filters that were typed are read back from the form in %s as they are', (language) => {
  const known = { goals: [], locale: localeOf(language) };
  const names = fc.oneof(
    fc.tuple(fc.constantFrom(...DIMENSIONS), fc.constantFrom('', ...OPERATORS.map((operator) => `.${operator}`))),
    fc.tuple(fc.constantFrom('props[plan]', 'props[a.b]', 'props[x]y.not]'), fc.constantFrom('', '.not', '.like')),
  );
  const values = fc.uniqueArray(
    fc.constantFrom(
      'DE',
      'de',
      'Germany',
      'Deutschland',
      'Allemagne',
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

      const { filters: read, faults } = readFilterRows(fieldsOfFilters(filters, known), known);

      expect([readFilters(read, false).filters, faults]).toEqual([typedFilters(known.locale, filters), []]);
    }),
  );
});
