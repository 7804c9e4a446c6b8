import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { padStart, plainText, widthOf, wrapped } from '../../src/mail/text.ts';

const texts = fc.string({
  unit: fc.constantFrom('a', ' ', 'é', '中', '🦊', '👩‍💻', '\u0301', '\u202e', '\n', '\ud800', 'ﷺ'),
});

describe('a text from outside', () => {
  test.each([
    ['/prices', '/prices'],
    ['/a\r\nBcc: x@y.example', '/a��Bcc: x@y.example'],
    ['\u001b[31mred\u0007\0', '�[31mred��'],
    ['\u202egnp.exe\u2066\u200f', '�gnp.exe��'],
    ['a\u2028b\ud800', 'a�b�'],
    ['👩‍💻 日本語 é', '👩‍💻 日本語 é'],
  ])('%j becomes %j', (text, expected) => {
    expect(plainText(text, 72)).toBe(expected);
  });

  test('is cut with an ellipsis if it is too wide, never inside a character', () => {
    expect(plainText('/'.padEnd(2_000, 'x'), 10)).toBe('/xxxxxxxx…');
    expect(plainText('日本語日本語', 7)).toBe('日本語…');
    expect(plainText('日本語日本語', 8)).toBe('日本語…');
    expect(plainText('👩‍💻👩‍💻👩‍💻', 5)).toBe('👩‍💻👩‍💻…');
    expect(plainText('exactly 10', 10)).toBe('exactly 10');
  });

  test('loses excess accents on one letter', () => {
    expect([...plainText(`a${'\u0301'.repeat(1_000)}b`, 10)]).toHaveLength(9);
  });

  test('is never wider than its limit, and has no control characters, lone surrogates or direction overrides', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, columns) => {
        const plain = plainText(text, columns);

        expect(widthOf(plain)).toBeLessThanOrEqual(columns);
        expect(plain).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
      }),
    );
  });
});

test('wide characters and emoji take two columns, accents none', () => {
  expect(['', 'a', 'é', 'e\u0301', '中', '🦊', '❤️', '👩‍💻', 'ｆ'].map(widthOf)).toEqual([0, 1, 1, 1, 2, 2, 2, 2, 2]);
  expect(padStart('中', 4)).toBe('  中');
});

test('words wrap into lines, and a word that is too long gets a line of its own', () => {
  expect(wrapped('one two three-and-more four', 8)).toEqual(['one two', 'three-and-more', 'four']);
});
