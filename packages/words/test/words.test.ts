import { describe, expect, test } from 'vitest';
import { acceptedLanguage, LANGUAGES, localeOf, numbersIn } from '../src/index.ts';

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

describe('the language of a browser', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['*', undefined],
    ['ja,ko;q=0.5', undefined],
    ['de', 'de'],
    ['de-AT,en;q=0.5', 'de'],
    ['DE-at', 'de'],
    ['en;q=0.5, fr-CA;q=0.9, ja', 'fr'],
    ['fr;q=0, es;q=0.1', 'es'],
    ['fr;q=x, es', 'es'],
    ['constructor, de', 'de'],
    [`${'x,'.repeat(100_000)}de`, undefined],
  ])('of %j is %j', (header, language) => {
    expect(acceptedLanguage(header)).toBe(language);
  });
});

describe('counts', () => {
  test.each([
    ['en', 1, 'visit'],
    ['en', 0, 'visits'],
    ['fr', 0, 'visit'],
    ['fr', 2, 'visits'],
  ] as const)('%s has for %d the form "%s"', (language, count, form) => {
    expect(numbersIn(language).plural(count, { one: 'visit', other: 'visits' })).toBe(form);
  });

  test('are written with their noun', () => {
    expect(numbersIn('de').counted(41_950, { one: 'Besuch', other: 'Besuche' })).toBe('41.950 Besuche');
  });
});

describe('formats', () => {
  test.each([
    ['en', '41,950', '−1,234.50', '2.6 %', '1 m 52 s', '25 Oct to 21 Nov', 'Germany'],
    ['de', '41.950', '−1.234,50', '2,6 %', '1 min 52 s', '25. Okt. bis 21. Nov.', 'Deutschland'],
    ['fr', '41 950', '−1 234,50', '2,6 %', '1 min 52 s', '25 oct. au 21 nov.', 'Allemagne'],
    ['es', '41.950', '−1234,50', '2,6 %', '1 min 52 s', '25 oct al 21 nov', 'Alemania'],
  ] as const)('of %s are its own', (language, ...expected) => {
    const { format } = localeOf(language);

    const written = [
      format.count(41_950),
      format.decimal('-1234.50'),
      format.rate(0.0257),
      format.duration(112.4),
      format.period('2026-10-25', '2026-11-21'),
      format.region('DE'),
    ];

    expect(written.map(plain)).toEqual(expected);
  });
});

test('no words are blank', () => {
  const textsOf = (value: unknown): string[] => {
    if (typeof value === 'string') return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
  };

  for (const language of LANGUAGES) expect(textsOf(localeOf(language).words), language).not.toContain('');
});
