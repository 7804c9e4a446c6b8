import { describe, expect, test } from 'vitest';
import { writeCsv } from '../src/csv.ts';

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

  test('cells with a comma, a quote, a line break, a semicolon or a tab are quoted', () => {
    expect(writeCsv(['a'], [['b,c'], ['"d"'], ['e\nf'], ['g\rh'], ['é 🦊;'], ['i\tj']])).toBe(
      'a\r\n"b,c"\r\n"""d"""\r\n"e\nf"\r\n"g\rh"\r\n"é 🦊;"\r\n"i\tj"\r\n',
    );
  });

  test('cells with a space at their begin or end are quoted, and keep it', () => {
    expect(writeCsv(['a', 'b'], [[' c', 'd\u00a0']])).toBe('a,b\r\n" c","d\u00a0"\r\n');
  });

  test.each([
    '=1+1',
    '+1',
    '-1',
    ' -1',
    '@SUM(A1)',
    '＝1+1',
    '＋1',
    '－1',
    '＠a',
    '﹦1',
    '\0=1',
    '\u200b=1',
    '\ufeff=1',
  ])('%j gets an apostrophe in front', (text) => {
    expect(writeCsv(['a', 'b'], [[text, text]])).toBe(`a,b\r\n'${text},'${text}\r\n`);
  });

  test.each(['\t=1', '\r=1+1', '\n＋1', '-1 ', ' \t-1', '\u00a0 \t@a', '\v\u0007 \r=1'])(
    '%j gets an apostrophe in front, and quotes around both',
    (text) => {
      expect(writeCsv(['a'], [[text]])).toBe(`a\r\n"'${text}"\r\n`);
    },
  );

  test('the apostrophe is inside the quotes, and numbers get none', () => {
    expect(writeCsv(['a'], [['=A1,"x"'], [-1]])).toBe('a\r\n"\'=A1,""x"""\r\n-1\r\n');
  });

  test('characters that begin a formula are unchanged elsewhere', () => {
    expect(writeCsv(['a'], [['/a=b'], ['a@b'], ['é =1'], ['\tx'], ["'=1"]])).toBe(
      'a\r\n/a=b\r\na@b\r\né =1\r\n"\tx"\r\n\'=1\r\n',
    );
  });

  describe.each([';', '\t', ','])('in a spreadsheet that splits lines at %j', (separator) => {
    const HOSTILE = [
      '/p;=1+1;',
      '/p\t＝1+1',
      'a\r=1',
      'a\n =1',
      'a";=1+1;"',
      '";=1',
      ';=1',
      'a;;@b',
      'a,=1',
      '";";=1;"',
    ];

    test('no cell begins a formula, whatever the column', () => {
      for (const text of HOSTILE) {
        const cells = cellsOf(writeCsv(['a', 'b', 'c'], [[text, text, 1]]), separator);

        for (const cell of cells) expect(cell.trim().normalize('NFKC')).not.toMatch(/^[=+\-@]/);
      }
    });

    test('the first cell of a line is the value itself', () => {
      for (const text of HOSTILE.filter((each) => each !== 'a,=1')) {
        expect(cellsOf(writeCsv(['a'], [[text]]), separator)).toEqual(['a', text]);
      }
    });
  });
});

/** The cells as spreadsheets read them: quotes have a meaning only where a cell begins. */
function cellsOf(csv: string, separator: string): string[] {
  const cells: string[] = [];
  let rest = csv;
  while (rest !== '') {
    const quoted = /^"((?:[^"]|"")*)"/.exec(rest);
    const afterQuotes = rest.slice(quoted?.[0].length ?? 0);
    const plain = afterQuotes.slice(0, afterQuotes.search(new RegExp(`[${separator}\\r\\n]|$`)));
    cells.push((quoted?.[1]?.replaceAll('""', '"') ?? '') + plain);
    rest = afterQuotes.slice(plain.length).replace(/^(?:\r\n|.|[\r\n])/, '');
  }
  return cells;
}
