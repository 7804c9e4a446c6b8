import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { BackupPart } from '@hitherto/domain/backup';
import { describe, expect, test } from 'vitest';
import { BackupError, type BlockContent, readBlocks, writeBlocks } from '../src/backup/blocks.ts';
import { noCounts, readParts, writeParts } from '../src/backup/parts.ts';

const PARTS: BackupPart[] = [
  { type: 'start', migrations: ['0001-first'], rows: 4 },
  { type: 'table', name: 'account', columns: ['id', 'name'], partition: null },
  { type: 'rows', bytes: Buffer.from('1\tÆ\n2\t') },
  { type: 'rows', bytes: Buffer.from('🦊\n') },
  { type: 'table', name: 'hit_2026_10', columns: ['page'], partition: { of: 'hit', from: '2026-10-01' } },
  { type: 'rows', bytes: Buffer.from('/\n/a\\nb\n') },
  { type: 'table', name: 'hit_default', columns: ['page'], partition: null },
  { type: 'end', sequences: [{ table: 'website', column: 'number', last: '7' }] },
];
const ABOUT = { version: '0.1.0', madeAt: new Date('2026-11-23T08:00:00Z') };

async function* from<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const write = async (parts: readonly BackupPart[] = PARTS) =>
  Buffer.concat(await all(writeBlocks(writeParts(from(parts), ABOUT, noCounts()))));

/** The file in pieces, which are not blocks. */
const read = (file: Uint8Array, pieceBytes = 100, counts = noCounts()) => {
  const pieces = Array.from({ length: Math.ceil(file.length / pieceBytes) }, (_, index) =>
    file.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  return all(readParts(readBlocks(from(pieces)), counts));
};

/** A file with this content, whatever it is. */
const fileOf = async (lines: readonly (BlockContent | object)[]) =>
  Buffer.concat(
    await all(
      writeBlocks(
        from(
          lines.map((line) =>
            'bytes' in line
              ? (line as BlockContent)
              : { kind: 'header' as const, bytes: Buffer.from(JSON.stringify(line)) },
          ),
        ),
      ),
    ),
  );

/** The parts, with the rows of a table in one piece. */
function joined(parts: readonly BackupPart[]): (BackupPart | string)[] {
  const done: (BackupPart | string)[] = [];
  for (const part of parts) {
    const last = done.at(-1);
    if (part.type !== 'rows') done.push(part);
    else if (typeof last === 'string') done.splice(-1, 1, last + Buffer.from(part.bytes).toString());
    else done.push(Buffer.from(part.bytes).toString());
  }
  return done;
}

describe('the file of a backup', () => {
  test.each([1, 7, 100, 1_000_000])('is read as it was written, in pieces of %d bytes', async (pieceBytes) => {
    const counts = noCounts();

    const parts = await read(await write(), pieceBytes, counts);

    expect(joined(parts)).toEqual(joined(PARTS));
    expect(counts.rows).toBe(4);
    expect(Object.fromEntries(counts.tables)).toMatchObject({ hit_2026_10: expect.any(Number) });
  });

  test('has many blocks if it has many rows, which keep their order', async () => {
    const lines = Array.from({ length: 300_000 }, (_, row) => `${row}\tpage ${row % 977}\n`).join('');
    const bytes = Buffer.from(lines);
    const [start, account] = PARTS;
    const end = PARTS.at(-1);
    if (start === undefined || account === undefined || end === undefined) throw new Error('no parts');

    const file = await write([start, account, { type: 'rows', bytes }, end]);

    expect(file.length).toBeLessThan(bytes.length / 2);
    const parts = await read(file, 4_000);
    expect(parts.filter(({ type }) => type === 'rows').length).toBeGreaterThan(3);
    expect(joined(parts)[2]).toBe(lines);
  });

  test('is unpacked by gunzip', async () => {
    const text = String(await promisify(gunzip)(await write()));

    expect(text.split('\n').slice(1, 4)).toEqual([JSON.stringify(PARTS[1]), '1\tÆ', '2\t🦊']);
  });

  test('is damaged by a change of any byte', async () => {
    const file = await write();
    for (let at = 0; at < file.length; at += 1) {
      const damaged = Buffer.from(file);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));

      await expect(read(damaged), `byte ${at}`).rejects.toThrow(BackupError);
    }
  });

  test('is incomplete or none at all after a cut at any byte', async () => {
    const file = await write();
    for (let end = 0; end < file.length; end += 1) {
      await expect(read(file.subarray(0, end)), `byte ${end}`).rejects.toThrow(
        /^The backup is (incomplete|damaged)|^This is not a backup/,
      );
    }
    await expect(read(file.subarray(0, -1))).rejects.toThrow('The backup is incomplete: its end is missing.');
  });

  test('has nothing behind its end, and no block twice, missing or elsewhere', async () => {
    const file = await write();
    const blocks = await all(writeBlocks(writeParts(from(PARTS), ABOUT, noCounts())));
    const without = (index: number) => Buffer.concat(blocks.filter((_, other) => other !== index));
    const [first = Buffer.of(), second = Buffer.of(), ...others] = blocks;

    await expect(read(Buffer.concat([file, Buffer.from('x')]))).rejects.toThrow(BackupError);
    await expect(read(Buffer.concat([file, file]))).rejects.toThrow('is damaged at byte');
    for (const [index] of blocks.entries()) await expect(read(without(index)), `${index}`).rejects.toThrow(BackupError);
    await expect(read(Buffer.concat([first, ...others.slice(0, 1), second, ...others.slice(1)]))).rejects.toThrow(
      'is damaged at byte',
    );
  });

  test('has as many rows as its end says', async () => {
    const start = { type: 'hitherto_backup', format: 1, made_at: '', version: '', migrations: [], rows: 0 };
    const table = { type: 'table', name: 'account', columns: ['id'], partition: null };
    const rows: BlockContent = { kind: 'rows', bytes: Buffer.from('1\n') };
    const end = { type: 'end', sequences: [], rows: { account: 2 } };

    await expect(read(await fileOf([start, table, rows, end]))).rejects.toThrow(
      'The backup is incomplete: it has 1 of 2 rows of account.',
    );
    await expect(read(await fileOf([start, end]))).rejects.toThrow('it has 0 of 2 rows of account');
    await expect(read(await fileOf([start, rows, end]))).rejects.toThrow('it has rows of no table');
    await expect(read(await fileOf([start, { ...table, name: 'a"; drop table' }, end]))).rejects.toThrow(
      'an unknown line',
    );
    await expect(read(await fileOf([table, end]))).rejects.toThrow('its parts are in another order');
    await expect(read(await fileOf([{ ...start, format: 2 }]))).rejects.toThrow('of a later version of Hitherto');
  });

  test.each([
    ['an empty file', Buffer.of()],
    ['a short file', Buffer.from('hi')],
    ['an export', Buffer.from(`{"type":"hitherto_export","format":1}\n${'x'.repeat(100)}`)],
  ])('is not %s', async (_, file) => {
    await expect(read(file)).rejects.toThrow('This is not a backup: it was not made by "hitherto backup".');
  });
});
