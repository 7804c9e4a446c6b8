import { describe, expect, test } from 'vitest';
import { readSetting } from '../src/websites/settings.ts';
import { named } from './faults.ts';

const readAliases = (lines: readonly string[]) => readSetting('aliases', lines);

describe('readAliases', () => {
  test.each([
    ['an id of Umami', 'f3a1c6a0-2b5e-4f9b-9d3f-6f0f3f4f1001'],
    ['a domain of Plausible', 'Blog.example/en'],
    ['a script of Plausible', 'pa-Xy_12'],
    ['a site of Matomo', 'matomo:3'],
    ['a code of GoatCounter', 'goatcounter:blog'],
    ['every printable character', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
    ['255 characters', 'x'.repeat(255)],
  ])('keeps %s as sent', (_, alias) => {
    expect(readAliases([alias])).toEqual({ value: [alias], faults: [] });
  });

  test('trims, drops blank lines and duplicates, and keeps order and letter case', () => {
    expect(readAliases([' b\t', '', 'B', 'a', 'b'])).toEqual({ value: ['b', 'B', 'a'], faults: [] });
  });

  test.each([
    ['a space', 'a b', 'invalid_name'],
    ['a control character', 'a\u0001b', 'invalid_name'],
    ['a character beyond ASCII', 'é', 'invalid_name'],
    ['a NUL', 'a\0', 'invalid_name'],
    ['256 characters', 'x'.repeat(256), 'too_long'],
  ])('rejects %s', (_, alias, code) => {
    expect(named(readAliases(['ok', alias]).faults)).toEqual([`aliases:2 ${code}`]);
  });

  test('accepts 20 and rejects 21', () => {
    const most = Array.from({ length: 20 }, (_, index) => `matomo:${index}`);

    expect(readAliases(most)).toEqual({ value: most, faults: [] });
    expect(named(readAliases([...most, 'one-more']).faults)).toEqual(['aliases too_many']);
  });
});
