import { ENGLISH } from '@hitherto/words';
import { describe, expect, test } from 'vitest';
import { changeOf, formatMetric, formatTick } from '../src/format/figures.ts';
import { formatAddress, formatValue } from '../src/format/values.ts';

const plain = (text: string | undefined) => text?.replaceAll('\u00a0', ' ');

describe('numbers', () => {
  test.each([
    ['visitors', 41_950, '41,950'],
    ['bounce_rate', 0.3849, '38 %'],
    ['bounce_rate', 0.575, '58 %'],
    ['bounce_rate', null, '–'],
    ['visit_duration', 0, '0 s'],
    ['visit_duration', 59.6, '1 m 0 s'],
    ['visit_duration', 112.4, '1 m 52 s'],
    ['visit_duration', 3_900, '1 h 5 m'],
  ] as const)('%s %s reads %s', (metric, value, text) => {
    expect(plain(formatMetric(ENGLISH, metric, value))).toBe(text);
  });

  test('a share above zero is never shown as 0', () => {
    expect([0, 0.001, 0.004, 0.006, 68 / 203, 0.575, 1].map(ENGLISH.format.percent)).toEqual([
      '0',
      '<1',
      '<1',
      '1',
      '33',
      '58',
      '100',
    ]);
  });

  test('a rate has one decimal, and above zero is never shown as 0', () => {
    const rates = [null, 0, 0.0004, 0.0005, 0.0257, 0.25, 1].map((rate) => plain(ENGLISH.format.rate(rate)));

    expect(rates).toEqual(['–', '0 %', '<0.1 %', '0.1 %', '2.6 %', '25.0 %', '100 %']);
  });

  test('a decimal has thousands separators, and decimals unless it is whole', () => {
    expect(['1234567.50', '-1234.00', '0.10', '12345678901234567890'].map(ENGLISH.format.decimal)).toEqual([
      '1,234,567.50',
      '−1,234',
      '0.10',
      '12,345,678,901,234,567,890',
    ]);
  });

  test('labels of an axis are short', () => {
    expect(plain(formatTick(ENGLISH, 'visitors', 1_500))).toBe('1.5K');
    expect(plain(formatTick(ENGLISH, 'visit_duration', 120))).toBe('2 m');
    expect(plain(formatTick(ENGLISH, 'visit_duration', 7_200))).toBe('2 h');
    expect(plain(formatTick(ENGLISH, 'visit_duration', 0))).toBe('0 s');
  });
});

describe('a change', () => {
  test.each([
    ['visitors', 112, 100, '12 % more', true],
    ['visitors', 97, 100, '3 % less', false],
    ['visitors', 100, 100, 'as before', undefined],
    ['visitors', 1_000_001, 1_000_000, 'as before', undefined],
    ['visitors', 0, 0, undefined, undefined],
    ['visitors', 5, 0, undefined, undefined],
    ['bounce_rate', 0.4, 0.38, '2 points more', false],
    ['bounce_rate', 0.37, 0.38, '1 point less', true],
    ['visit_duration', 10, null, undefined, undefined],
  ] as const)('of %s to %s from %s is put into words', (metric, now, before, text, good) => {
    const change = changeOf(ENGLISH, metric, now, before);

    expect([plain(change?.text), change?.good]).toEqual([text, good]);
  });
});

test('values have readable names', () => {
  expect(formatValue(ENGLISH, 'country', 'DE')).toBe('Germany');
  expect(formatValue(ENGLISH, 'country', '<b>')).toBe('<b>');
  expect(formatValue(ENGLISH, 'language', 'pt')).toBe('Portuguese');
  expect(formatValue(ENGLISH, 'device', 'tv')).toBe('TV');
  expect(formatValue(ENGLISH, 'source', null)).toBe('Direct or unknown');
  expect(formatValue(ENGLISH, 'page', '(other)')).toBe('All others');
});

test.each([
  ['/%C3%BCber/%e4%bd%a0%F0%9F%A6%8A', '/über/你🦊'],
  ['/%D9%85%D9%82?q=%C3%A9', '/مق?q=é'],
  ['/a%20b%2Fc%3C%0A', '/a%20b%2Fc%3C%0A'],
  ['/%E2%80%AEgnp.exe', '/%E2%80%AEgnp.exe'],
  ['/%E2%80%8B%C2%A0%C2%85%E3%85%A4', '/%E2%80%8B%C2%A0%C2%85%E3%85%A4'],
  ['/%FF%C3x%ED%A0%80%C0%AF', '/%FF%C3x%ED%A0%80%C0%AF'],
])('the path %s is shown as %s', (path, shown) => {
  expect(formatValue(ENGLISH, 'entry_page', path)).toBe(shown);
});

test.each([
  ['https://xn--bcher-kva.example/%C3%BCber', 'bücher.example/über'],
  ['http://xn--r8jz45g.xn--zckzah:8080', '例え.テスト:8080'],
  ['https://shop.example/a%20b', 'shop.example/a%20b'],
  ['http://[2001:db8::1]:8080/a', '[2001:db8::1]:8080/a'],
  ['https://xn--80ak6aa92e.com', 'xn--80ak6aa92e.com'],
  ['https://xn--pple-43d.com', 'xn--pple-43d.com'],
  ['https://xn--a.example', 'xn--a.example'],
])('the address of %s is shown as %s', (url, shown) => {
  expect(formatAddress(url)).toBe(shown);
});

test('periods name their years only if they differ', () => {
  expect(ENGLISH.format.period('2026-10-25', '2026-11-21')).toBe('25 Oct to 21 Nov');
  expect(ENGLISH.format.period('2025-12-25', '2026-01-02')).toBe('25 Dec 2025 to 2 Jan 2026');
  expect(ENGLISH.format.period('2026-11-21', '2026-11-21')).toBe('21 Nov');
});
