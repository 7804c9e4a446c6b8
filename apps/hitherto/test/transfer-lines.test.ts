import type { TransferItem } from '@hitherto/domain';
import { anAccount, anApiKey, aWebsite } from '@hitherto/domain/testing';
import { describe, expect, test } from 'vitest';
import { readLines, writeLines } from '../src/cli/transfer-lines.ts';

const ITEMS: TransferItem[] = [
  { type: 'account', account: anAccount() },
  { type: 'key', key: anApiKey({ expiresAt: new Date('2027-01-01T00:00:00.000Z'), label: null }) },
  {
    type: 'website',
    accountId: anAccount().id,
    website: aWebsite({ passwordHash: '$argon2id$v=19$x', timeZone: 'Asia/Kolkata' }),
  },
  { type: 'website', accountId: anAccount().id, website: aWebsite({ excludedIps: [], excludedParams: [] }) },
];

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

const written = () => collect(writeLines(each(ITEMS)));
const read = (lines: readonly string[]) => collect(readLines(each(lines)));

describe('the lines of an export', () => {
  test('hold accounts, keys and websites completely: reading them returns the same', async () => {
    const lines = await written();

    expect(await read(lines)).toEqual(ITEMS);
    expect(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
  });

  test('have no e-mail address if the account has none, like those of earlier versions', async () => {
    const account = anAccount({ email: null });

    const lines = await collect(writeLines(each([{ type: 'account', account }])));

    expect(JSON.parse(lines[1] ?? '')).toEqual({
      type: 'account',
      id: account.id,
      name: account.name,
      created_at: account.createdAt.toISOString(),
    });
    expect(await read(lines)).toEqual([{ type: 'account', account }]);
  });

  test('of a website without a time zone do not name it, so that earlier versions can read them', async () => {
    const lines = await written();

    expect(lines.map((line) => 'time_zone' in JSON.parse(line))).toEqual([false, false, false, true, false, false]);
  });

  test.each<[string, (lines: string[]) => string[], string]>([
    ['an invalid address', (lines) => lines.with(1, (lines[1] ?? '').replace('@', ' ')), 'Line 2'],
    [
      'an address without its time',
      (lines) => lines.with(1, (lines[1] ?? '').replace(/,"email_since".*(?=})/, '')),
      'Line 2',
    ],
    [
      'a file that was cut off in a line',
      (lines) => [...lines.slice(0, -1), lines.at(-1)?.slice(0, 20) ?? ''],
      'Line 6',
    ],
    ['a file without its last line', (lines) => lines.slice(0, -1), 'incomplete'],
    ['a file that lacks a line in the middle', (lines) => lines.toSpliced(2, 1), 'incomplete'],
    ['an empty file', () => [], 'incomplete'],
    ['another file', () => ['{"hello":1}'], 'Line 1'],
    ['a later format', (lines) => ['{"type":"hitherto_export","format":2}', ...lines.slice(1)], 'Line 1'],
    ['a line after the end', (lines) => [...lines, lines[1] ?? ''], 'Line 7'],
    ['an unknown member', (lines) => lines.with(1, (lines[1] ?? '').replace('"name"', '"nom"')), 'Line 2'],
    [
      'a key in plain text',
      (lines) => lines.with(2, (lines[2] ?? '').replace(/"hash":"[^"]*"/, '"hash":"hto_x"')),
      'Line 3',
    ],
    [
      'a url that is not in normal form',
      (lines) => lines.with(3, (lines[3] ?? '').replace('.example/', '.EXAMPLE/')),
      'Line 4',
    ],
    ['a setting of another type', (lines) => lines.with(3, (lines[3] ?? '').replace('"Asia/Kolkata"', '7')), 'Line 4'],
    ['an unknown time zone', (lines) => lines.with(3, (lines[3] ?? '').replace('Kolkata', 'Kolkota')), 'Line 4'],
    [
      'a time zone that is not in normal form',
      (lines) => lines.with(3, (lines[3] ?? '').replace('Asia/Kolkata', 'europe/berlin')),
      'Line 4',
    ],
    [
      'an exclusion that is not valid',
      (lines) => lines.with(3, (lines[3] ?? '').replace('203.0.113.0/24', '0.0.0.0/0')),
      'Line 4',
    ],
  ])('%s is refused with its line, or as incomplete', async (_, spoil, text) => {
    const lines = spoil(await written());

    await expect(read(lines)).rejects.toThrow(text);
  });
});
