import { ENGLISH, localeOf } from '@hitherto/words';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterSentence, formatFilter, formatValue, readTypedValue } from '../src/format/index.ts';
import { DIMENSIONS } from '../src/hits/dimensions.ts';
import type { Filter } from '../src/visits/filters.ts';
import { readFilters } from '../src/visits/read-filters.ts';

const GOALS = new Map([['01a20515-5370-7533-97da-4116c344dc81', 'Signup']]);

function filterOf(name: string, ...values: string[]): Filter {
  const [filter] = readFilters([[name, values]], false).filters;
  if (filter === undefined) throw new Error(`${name} is not a filter.`);
  return filter;
}

describe('a filter reads as a sentence', () => {
  test.each([
    ['page.contains', ['blog'], 'Page contains blog'],
    ['country.not', ['DE', 'FR'], 'Country is not Germany or France'],
    ['page', ['/%C3%BCber'], 'Page is /über'],
    ['page.not_like', ['/%C3%BCber/*'], 'Page is not like /über/*'],
    ['country.contains', ['DE'], 'Country contains DE'],
    ['source', [''], 'Source is Direct or unknown'],
    ['device', ['tv'], 'Device is TV'],
    ['props[plan]', ['pro', ''], 'Property plan is pro or empty'],
    ['props[plan].not_contains', ['x'], 'Property plan does not contain x'],
    ['goal.not', ['01A20515-5370-7533-97DA-4116C344DC81'], 'Goal is not Signup'],
    ['goal', ['01a20515-5370-7533-97da-000000000000'], 'Goal is a deleted goal'],
  ])('%s of %j: %s', (name, values, sentence) => {
    expect(filterSentence(ENGLISH, filterOf(name, ...values), GOALS)).toBe(sentence);
  });

  test('whose values are separate, and not escaped', () => {
    expect(formatFilter(ENGLISH, filterOf('event', '<b>', 'c'), GOALS)).toEqual({
      subject: 'Event',
      relation: 'is',
      values: ['<b>', 'c'],
    });
  });
});

describe('a typed value is stored', () => {
  test.each([
    ['country', 'is', 'Germany', 'DE'],
    ['country', 'is', 'united kingdom', 'GB'],
    ['country', 'is', 'fr', 'FR'],
    ['country', 'is', 'Atlantis', 'Atlantis'],
    ['country', 'contains', 'Germany', 'Germany'],
    ['language', 'is', 'Hebrew', 'he'],
    ['language', 'is', 'fil', 'fil'],
    ['device', 'is', 'TV', 'tv'],
    ['channel', 'is', 'DIRECT', 'Direct'],
    ['network', 'is', 'Hosting', 'hosting'],
    ['network', 'is', 'other networks', ''],
    ['source', 'is', 'direct or unknown', ''],
    ['page', 'is', '/über', '/%C3%BCber'],
    ['page', 'is', '/%C3%BCber', '/%C3%BCber'],
    ['page', 'is', '/%c3%bcber', '/%C3%BCber'],
    ['page', 'contains', 'ü b', '%C3%BC%20b'],
    ['page', 'like', '/über/*', '/%C3%BCber/*'],
    ['host', 'is', 'Bücher.example', 'xn--bcher-kva.example'],
    ['host', 'is', 'www.Example.com', 'example.com'],
    ['event', 'is', 'Über', 'Über'],
  ] as const)('%s %s %s as %s', (dimension, comparator, typed, stored) => {
    expect(readTypedValue(ENGLISH, dimension, comparator, typed)).toBe(stored);
  });

  test.each(['country', 'language'] as const)('by the name that the page shows: %s', (dimension) => {
    const code = fc
      .tuple(fc.constantFrom(...'adefilprstuz'), fc.constantFrom(...'adefilprstuz'))
      .map(([a, b]) => a + b);
    fc.assert(
      fc.property(code, (letters) => {
        const name = formatValue(ENGLISH, dimension, dimension === 'country' ? letters.toUpperCase() : letters);

        expect(formatValue(ENGLISH, dimension, readTypedValue(ENGLISH, dimension, 'is', name))).toBe(name);
      }),
    );
  });

  test('without an error, whatever was typed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...DIMENSIONS),
        fc.string({ unit: fc.constantFrom('a', ' ', 'ü', '🦊', '\ud83e', '\udd8a', '%', '/') }),
        (dimension, typed) => {
          expect(typeof readTypedValue(ENGLISH, dimension, 'is', typed)).toBe('string');
        },
      ),
    );
  });
});

test.each([
  ['country', 'Deutschland', 'DE'],
  ['country', 'Germany', 'DE'],
  ['language', 'french', 'fr'],
  ['device', 'desktop', 'desktop'],
  ['channel', 'social', 'Social'],
  ['country', 'Allemagne', 'Allemagne'],
] as const)('on a page in German, the %s %s is %s', (dimension, typed, value) => {
  expect(readTypedValue(localeOf('de'), dimension, 'is', typed)).toBe(value);
});
