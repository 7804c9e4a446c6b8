import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern, foldAscii, partsOfPattern } from '../../src/visits/rules.ts';

const matches = (pattern: string, value: string) => compilePattern(pattern)(value);

describe('compilePattern', () => {
  test.each([
    ['/blog/*/comments', '/blog/a/comments', true],
    ['/blog/*/comments', '/blog//comments', true],
    ['/blog/*/comments', '/blog/comments', false],
    ['/blog/*', '/blog/', true],
    ['/blog/*', '/Blog/', false],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['a*a', 'a', false],
    ['a*b*c', 'a-c-b-c', true],
    ['*ab', 'aab', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['a\\\\*', 'a\\b', true],
    ['a\\b', 'a\\b', true],
    ['a\\', 'a\\', true],
    ['%_?.', '%_?.', true],
    ['%', 'a', false],
    ['_', 'a', false],
    ['*🦊', 'x🦊', true],
  ])('%j and %j: %j', (pattern, value, expected) => {
    expect(matches(pattern, value)).toBe(expected);
  });

  test('agrees with a regular expression made of its parts', () => {
    const piece = fc.constantFrom('a', 'b', '*', '**', '\\', '\\*', '\\\\', 'ab', '🦊');
    const texts = fc.array(fc.constantFrom('a', 'b', '\\', '*', 'ab', '🦊'), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), texts, (pieces, value) => {
        const pattern = pieces.join('');
        const expression = partsOfPattern(pattern)
          .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
          .join('[^]*');

        expect(matches(pattern, value.join(''))).toBe(new RegExp(`^${expression}$`).test(value.join('')));
      }),
      { numRuns: 2_000 },
    );
  });

  test('4,000 asterisks are one, and nested escapes are read once', () => {
    expect(partsOfPattern('*'.repeat(4_000))).toEqual(['', '']);
    expect(partsOfPattern('\\\\\\*')).toEqual(['\\*']);
  });

  test('a hostile pattern takes no longer than its parts', () => {
    const pattern = compilePattern(`${'a*'.repeat(1_000)}b`);
    const start = process.cpuUsage();

    for (let time = 0; time < 1_000; time += 1) pattern(`${'a'.repeat(1_999)}c`);
    for (let time = 0; time < 1_000; time += 1) pattern(`${'a'.repeat(1_999)}b`);

    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000);
  });
});

test('foldAscii folds A to Z alone', () => {
  expect(foldAscii('ABCxyzÄİ')).toBe('abcxyzÄİ');
});
