import { describe, expect, test } from 'vitest';
import { readSetting } from '../src/websites/settings.ts';
import { named } from './faults.ts';

const readExcludedParams = (lines: readonly string[]) => readSetting('excludedParams', lines);

const KEPT: Record<string, string[]> = {
  'names as they are': ['sid', 'é 🦊', 'a b', 'a.b[c]', '?', '%26', 'a\u2028b', 'e\u0301', '"\'\\<>'],
  'the case': ['UTM_Source', 'utm_source'],
  '"*" at the end, which is a prefix': ['utm_*', 'é*', 'a**'],
  '"*" elsewhere, which is itself': ['*_id', 'a*b'],
  'a line that is just "*" or "&", which means all': ['*', '&'],
  '"&" within a name': ['a&b', '&amp;', '&&'],
};

const REFUSED: Record<string, string[]> = {
  'control characters': ['a\0b', 'a\tb', 'a\u007fb', 'a\u0085b', '\u0001', 'a\nb', 'a\rb'],
  'lone surrogates': ['a\ud800', '\udc00', '\udc00\ud800', '\ud83e*'],
  '"="': ['a=b', '=', 'a=', '*='],
  '"#"': ['#', 'a#b', '# a comment'],
};

describe.each(Object.entries(KEPT))('readExcludedParams keeps %s', (_, names) => {
  test('in the order sent, and as its own normal form', () => {
    expect(readExcludedParams(names)).toEqual({ value: names, faults: [] });
  });
});

describe.each(Object.entries(REFUSED))('readExcludedParams rejects %s', (_, names) => {
  test.each(names)('%j', (name) => {
    const { value, faults } = readExcludedParams([name]);

    expect(value).toEqual([]);
    expect(named(faults)).toEqual(['excludedParams:1 invalid_name']);
  });
});

describe('readExcludedParams', () => {
  test('names are trimmed, blank lines and duplicates dropped, order and letter case kept', () => {
    const { value, faults } = readExcludedParams([' sid\t', '', 'SID', '\u00a0', 'sid', 'é', 'e\u0301', 'SID ']);

    expect(faults).toEqual([]);
    expect(value).toEqual(['sid', 'SID', 'é', 'e\u0301']);
  });

  test('a name has at most 255 code points', () => {
    const longest = '🦊'.repeat(255);

    expect(readExcludedParams([`  ${longest}  `]).value).toEqual([longest]);
    expect(named(readExcludedParams([`${longest}é`]).faults)).toEqual(['excludedParams:1 too_long']);
  });

  test('a bad line has its number in the text as sent, from 1', () => {
    const { faults } = readExcludedParams(['', 'a=b', 'sid', 'sid', '', 'x'.repeat(256), '#']);

    expect(named(faults)).toEqual([
      'excludedParams:2 invalid_name',
      'excludedParams:6 too_long',
      'excludedParams:7 invalid_name',
    ]);
    expect(faults[0]?.detail).toMatch(/^Line 2 /);
  });

  test('at most 1,000 are accepted, counted after blank lines and duplicates are dropped', () => {
    const thousand = Array.from({ length: 1000 }, (_, index) => `é${index}`);
    const padded = thousand.flatMap((name) => [` ${name}`, '', name]);

    expect(readExcludedParams(padded)).toEqual({ value: thousand, faults: [] });
    expect(named(readExcludedParams([...thousand, '*']).faults)).toEqual(['excludedParams too_many']);
  });

  test('at most 64 KiB of UTF-8 are accepted, counted after blank lines and duplicates are dropped', () => {
    const filler = Array.from({ length: 129 }, (_, index) => `${'é'.repeat(252)}${100 + index}`);
    const whole = [...filler, 'xxxx'];
    const padded = whole.flatMap((name) => [` ${name}`, '', name]);

    expect(readExcludedParams(padded)).toEqual({ value: whole, faults: [] });
    expect(named(readExcludedParams([...filler, `${whole.at(-1)}x`]).faults)).toEqual(['excludedParams too_long']);
  });

  test('the offending value is never repeated', () => {
    const { faults } = readExcludedParams(['hush=hush', `hush${'x'.repeat(255)}`]);

    expect(JSON.stringify(faults)).not.toContain('hush');
  });
});
