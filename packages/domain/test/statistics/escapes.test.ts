import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeEscapes } from '../../src/base/url.ts';

const HEX = [...'0123456789abcdef'];

test('each escape has one spelling: an unreserved character as itself, any other with digits in upper case', () => {
  for (const first of HEX) {
    for (const second of HEX) {
      const character = String.fromCharCode(Number.parseInt(first + second, 16));
      const isUnreserved = /^[A-Za-z0-9\-._~]$/.test(character);
      const expected = isUnreserved ? character : `%${first}${second}`.toUpperCase();
      for (const digits of [first + second, first.toUpperCase() + second, first + second.toUpperCase()]) {
        expect(normalizeEscapes(`a%${digits}b`)).toBe(`a${expected}b`);
        expect(normalizeEscapes(`%${digits}%${digits}`)).toBe(`${expected}${expected}`);
      }
    }
  }
});

test('a spelling stays, means the same, and malformed escapes neither appear nor vanish', () => {
  const texts = fc.array(fc.constantFrom('%', '%2', '4', '1', 'a', 'F', '%41', '%c3', '%E9', '%25', '/', 'é'));
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('');
      const spelled = normalizeEscapes(text);

      expect(normalizeEscapes(spelled)).toBe(spelled);
      expect(decoded(spelled)).toBe(decoded(text));
    }),
    { numRuns: 2_000 },
  );
});

/** Bytes as characters; malformed escapes stay. */
function decoded(text: string): string {
  return text
    .replace(/%([\da-f]{2})/gi, (_, digits: string) => `<${digits.toLowerCase()}>`)
    .replace(/<(\w\w)>/g, (_, digits: string) => {
      const character = String.fromCharCode(Number.parseInt(digits, 16));
      return /[\w.~-]/.test(character) ? character : `<${digits}>`;
    });
}
