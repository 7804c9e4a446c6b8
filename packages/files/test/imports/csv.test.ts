import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { csvRows, headerOf } from '../../src/imports/csv.ts';

async function read(text: string, pieceLength = text.length) {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceLength) }, (_, n) =>
    bytes.subarray(n * pieceLength, (n + 1) * pieceLength),
  );
  const rows: (readonly [line: number, ...fields: string[]])[] = [];
  for await (const some of csvRows(Readable.from(pieces), 'a.csv')) {
    for (const { line, fields } of some) rows.push([line, ...Object.entries(fields).flat()]);
  }
  return rows;
}

const TEXT = '\u{feff}a, b\r\n"é, ""1""",\r\n\r\n"two\nlines","x""y,"\r\n3\r\n4,5,6';

describe('CSV', () => {
  it('has quoted values with commas, quotes and line breaks', async () => {
    expect(await read(TEXT)).toStrictEqual([
      [2, 'a', 'é, "1"', 'b', ''],
      [5, 'a', 'two\nlines', 'b', 'x"y,'],
      [6, 'a', '3'],
      [7, 'a', '4', 'b', '5'],
    ]);
  });

  it.each([1, 2, 3, 7])('is the same in pieces of %d bytes', async (length) => {
    expect(await read(TEXT, length)).toStrictEqual(await read(TEXT));
  });

  it.each([
    ['a value goes on after a quote', 'a,b\n1,"x"y\n', 'a.csv, line 2, column b, is not CSV'],
    ['a value has a quote within', 'a,b\n1,x"y"\n', 'a.csv, line 2, column b, is not CSV'],
    ['two quotes open a value', 'a,b\n""x"",1\n', 'a.csv, line 2, column a, is not CSV'],
    ['a value lacks its first quote', 'a,b\nx",1\n', 'column a, is not CSV: a value has a quote, but none around it.'],
    ['a value ends with a quote', 'a,b\n"x""y",x"\n', 'a.csv, line 2, column b, is not CSV'],
    ['a quote is never closed', 'a,b\n1,2\n3,"x\ny\n', 'a.csv, line 3, column b, is not CSV: a quote is never closed.'],
    ['a quote is closed too late', `a\n"${'x'.repeat(2 << 20)}"\n`, 'a.csv, line 2, column a, is not CSV'],
    ['a row is too long', `a,b\n1,${'x'.repeat(2 << 20)}`, 'line 2, column b, is not CSV: a row is longer than 1 MiB.'],
    [
      'a row has too many values',
      `a,b\n1${','.repeat(2 << 20)}`,
      'line 2, column a, is not CSV: a row is longer than 1 MiB.',
    ],
  ])('is rejected with the place where %s', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('leaves out byte order marks before rows, as files have that were put together', async () => {
    expect(await read('\u{feff}a,b\n\u{feff}1,2\n', 7)).toStrictEqual([[2, 'a', '1', 'b', '2']]);
  });

  it('takes a time that grows with its length alone, whatever it has in quotes', async () => {
    const hostile = `a\n"${',"",'.repeat(200_000)}"\n"${'\n'.repeat(900_000)}"\n`;
    const start = performance.now();

    expect(await read(hostile)).toHaveLength(2);

    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('has the names of columns in its first line, unless that is not a CSV', () => {
    expect([headerOf('"a, b", c'), headerOf('a"b')]).toStrictEqual([['a, b', 'c'], []]);
  });
});
