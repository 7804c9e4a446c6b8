import { describe, expect, test } from 'vitest';
import { hashKey } from '../src/access/api-key.ts';
import { readLines } from '../src/websites/lines.ts';
import { readSetting } from '../src/websites/settings.ts';
import { parseWebsiteChanges } from '../src/websites/website.ts';
import { readWebsiteUrl } from '../src/websites/website-url.ts';
import { faultsOf, named } from './faults.ts';

const SIZES = [64 * 1024, 1024 * 1024];
const filled = (part: string, size: number) => part.repeat(Math.ceil(size / part.length)).slice(0, size);

/** Lines made by `line`, `size` characters in all with their line ends. */
function linesOf(size: number, line: (index: number) => string): string[] {
  const lines: string[] = [];
  for (let length = 0; length < size; length += (lines.at(-1)?.length ?? 0) + 1) lines.push(line(lines.length));
  return lines;
}

test('a list of far too many lines is not read to its end', () => {
  let reads = 0;
  const lines = Array.from({ length: 100_000 }, (_, index) => `é${index}`);

  const { faults } = readLines(lines, (entry) => {
    reads += 1;
    return { entry };
  });

  expect(faults).toMatchObject([{ code: 'too_many' }]);
  expect(reads).toBeLessThan(5_000);
});

test('a repeated line is read once, a bad one each time it is reported', () => {
  let reads = 0;
  const readLine = (line: string) => {
    reads += 1;
    return line === 'née' ? { fault: { code: 'invalid_name', detail: 'is née.' } as const } : { entry: line };
  };

  const { value, faults } = readLines(['é', ' é ', 'née', 'é', 'née'], readLine);

  expect(value).toEqual(['é']);
  expect(faults).toMatchObject([
    { line: 3, code: 'invalid_name' },
    { line: 5, code: 'invalid_name' },
  ]);
  expect(reads).toBe(3);
});

describe.each(SIZES)('input of %i characters is handled in time', (size) => {
  test.each(['a', '/', '../', '%2e/', '%', '.', '@', ':', '[', 'é', 'xn--', '\u200d', '-', 'a.', '1.', '\ud83e'])(
    'as a url of %j',
    (part) => {
      for (const start of ['', 'https://', 'https://a/', 'https://[', 'https://a:', 'https://a@']) {
        expect(readWebsiteUrl(start + filled(part, size))).toMatchObject({ fault: { code: 'too_long' } });
      }
    },
  );

  test.each(['1', '1.', '*.', '1.*.', ':', 'f:', '/', '%', 'a', '0', '.', 'é', '1.2.3.4 ', '1:2:3:4:5:6:'])(
    'as one line of exclude_ips of %j',
    (part) => {
      for (const start of ['', '1.2.3.4/', '1.2.3.', '::', '::1/', '::1%', '::ffff:']) {
        const { faults } = readSetting('excludedIps', [start + filled(part, size)]);

        expect(named(faults)).toEqual(['excludedIps:1 invalid_ip']);
      }
    },
  );

  test.each(['a', '*', '&', '=', '#', '🦊', '\ud83e', 'a\u3000', '\0'])(
    'as one line of exclude_params of %j',
    (part) => {
      const { faults } = readSetting('excludedParams', [filled(part, size)]);

      expect(named(faults)).toEqual(['excludedParams:1 too_long']);
    },
  );

  test.each([' ', '\t', '\u3000', ' \t\r\ufeff'])('as one blank line of %j', (part) => {
    expect(readSetting('excludedIps', [filled(part, size)])).toEqual({ value: [], faults: [] });
    expect(readSetting('excludedParams', [filled(part, size)])).toEqual({ value: [], faults: [] });
  });

  test('as a blank within a line', () => {
    expect(named(readSetting('excludedIps', [`1${filled(' ', size)}1`]).faults)).toEqual(['excludedIps:1 invalid_ip']);
    expect(named(readSetting('excludedParams', [`1${filled(' ', size)}1`]).faults)).toEqual([
      'excludedParams:1 too_long',
    ]);
  });

  test('as a list of empty lines', () => {
    const empty = linesOf(size, () => '');

    expect(readSetting('excludedIps', empty)).toEqual({ value: [], faults: [] });
    expect(readSetting('excludedParams', empty)).toEqual({ value: [], faults: [] });
  });

  test('as a list of duplicates', () => {
    expect(
      readSetting(
        'excludedIps',
        linesOf(size, () => '::'),
      ),
    ).toEqual({ value: ['::'], faults: [] });
    expect(
      readSetting(
        'excludedParams',
        linesOf(size, () => '*'),
      ),
    ).toEqual({ value: ['*'], faults: [] });
  });

  test('as a list of duplicates in different spellings', () => {
    const spelled = linesOf(size, (index) => `::1/${1 + (index % 15)}`);

    expect(readSetting('excludedIps', spelled)).toMatchObject({ value: { length: 15 }, faults: [] });
  });

  test('as a list of different lines', () => {
    const networks = linesOf(size, (index) => `${(index & 0xffff).toString(16)}::${(index >> 16).toString(16)}`);
    const names = linesOf(size, (index) => index.toString(36));

    expect(named(readSetting('excludedIps', networks).faults)).toContain('excludedIps too_many');
    expect(named(readSetting('excludedParams', names).faults)).toContain('excludedParams too_many');
  });

  test('as lists of bad lines', () => {
    const bad = linesOf(size, () => '=');

    expect(faultsOf(() => parseWebsiteChanges({ excludedParams: bad, excludedIps: bad }))).toHaveLength(100);
  });

  test.each(['a', '🦊', '\u0301', '\ud83e'])('as a password of %j', (part) => {
    const faults = faultsOf(() => parseWebsiteChanges({ password: filled(part, size) }));

    expect(named(faults)).toEqual(['password too_long']);
  });

  test('as a key', () => {
    expect(hashKey(`hto_${filled('0', size)}`)).toBeUndefined();
  });
});
