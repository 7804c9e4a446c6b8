import { describe, expect, test } from 'vitest';
import { writeCsv } from '../src/formats/csv.ts';

describe('writeCsv', () => {
  test('lines end with CRLF, the header first, and null is an empty cell', () => {
    expect(
      writeCsv(
        ['value', 'visitors'],
        [
          ['/a', 2],
          [null, 0],
        ],
      ),
    ).toBe('value,visitors\r\n/a,2\r\n,0\r\n');
  });

  test('cells with a comma, a quote or a line break are quoted', () => {
    expect(writeCsv(['a'], [['b,c'], ['"d"'], ['e\nf'], ['g\rh'], ['é 🦊;']])).toBe(
      'a\r\n"b,c"\r\n"""d"""\r\n"e\nf"\r\n"g\rh"\r\né 🦊;\r\n',
    );
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx'])('%j gets an apostrophe in front', (text) => {
    expect(writeCsv(['a'], [[text]])).toBe(`a\r\n'${text}\r\n`);
  });

  test('the apostrophe is inside the quotes, and numbers get none', () => {
    expect(writeCsv(['a'], [['=A1,"x"'], [-1]])).toBe('a\r\n"\'=A1,""x"""\r\n-1\r\n');
  });

  test('characters that begin a formula are unchanged elsewhere', () => {
    expect(writeCsv(['a'], [['/a=b'], ['a@b']])).toBe('a\r\n/a=b\r\na@b\r\n');
  });
});
