import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInMemoryRepositories } from '@hitherto/adapters/in-memory';
import { NO_COUNTS, type Transfer, type TransferItem } from '@hitherto/domain';
import { anAccount, aWebsite } from '@hitherto/domain/testing';
import { describe, expect, test } from 'vitest';
import { exportTo, importFrom } from '../src/cli/transfer-files.ts';
import { emptyFolder } from './support/program.ts';

const ITEMS: TransferItem[] = [
  { type: 'account', account: anAccount() },
  { type: 'website', accountId: anAccount().id, website: aWebsite() },
];

const NO_PIPES = {
  writeBytes: () => Promise.reject(new Error('nothing is written to standard output')),
  input: () => {
    throw new Error('standard input is not read');
  },
};

/** A transfer that exports these items, and then runs a function. */
function giving(items: readonly TransferItem[], then: () => Promise<void> = async () => {}): { transfer: Transfer } {
  return {
    transfer: {
      ...createInMemoryRepositories().transfer,
      async *exportAll() {
        yield* items;
        await then();
      },
    },
  };
}

describe('an import', () => {
  test('names the line of a duplicate and of a missing account', async () => {
    const folder = await emptyFolder();
    const importing = async (items: readonly TransferItem[]) => {
      const file = join(folder, `${items.length}.jsonl`);
      await exportTo(giving(items), file, NO_PIPES);
      return importFrom(createInMemoryRepositories(), file, NO_PIPES);
    };
    const twin: TransferItem = {
      type: 'website',
      accountId: anAccount().id,
      website: aWebsite({ id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4fff' }),
    };

    await expect(importing([...ITEMS, twin])).rejects.toThrow(
      'Line 4: the account already has a website with this address.',
    );
    await expect(importing([twin])).rejects.toThrow('Line 2: there is no account with this id before it.');
  });
});

test('an import of a file with bytes of a cut character behind its end is rejected', async () => {
  const file = join(await emptyFolder(), 'export.jsonl');
  await exportTo(giving(ITEMS), file, NO_PIPES);
  const text = await readFile(file);
  await writeFile(file, Buffer.concat([text.subarray(0, -1), Buffer.of(0xf0, 0x9f)]));

  await expect(importFrom(createInMemoryRepositories(), file, NO_PIPES)).rejects.toThrow('Line ');
});

describe('an export', () => {
  test('writes to a partial file and renames it once it is complete', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'backup.jsonl');
    let meanwhile: string[] = [];

    await exportTo(
      giving(ITEMS, async () => {
        meanwhile = await readdir(folder);
      }),
      file,
      NO_PIPES,
    );

    expect(meanwhile).toEqual(['backup.jsonl.partial']);
    expect(await readdir(folder)).toEqual(['backup.jsonl']);
    const counts = await importFrom(createInMemoryRepositories(), file, NO_PIPES);
    expect(counts).toEqual({ ...NO_COUNTS, accounts: 1, websites: 1 });
  });

  test('leaves no file when it fails', async () => {
    const folder = await emptyFolder();
    const failing = giving(ITEMS, () => Promise.reject(new Error('the database went away')));

    await expect(exportTo(failing, join(folder, 'backup.jsonl'), NO_PIPES)).rejects.toThrow('the database went away');

    expect(await readdir(folder)).toEqual([]);
  });

  test('rejects the name of an existing file before it reads anything, and leaves the file', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'backup.jsonl');
    await writeFile(file, 'another');
    let isAsked = false;
    const asked = giving([], async () => {
      isAsked = true;
    });

    await expect(exportTo(asked, file, NO_PIPES)).rejects.toThrow(`${file} already exists`);

    expect(isAsked).toBe(false);
    expect(await readdir(folder)).toEqual(['backup.jsonl']);
    expect(await readFile(file, 'utf8')).toBe('another');
  });

  test('rejects the name of a file that was created meanwhile, and leaves the file', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'backup.jsonl');
    const overtaken = giving(ITEMS, () => writeFile(file, 'another'));

    await expect(exportTo(overtaken, file, NO_PIPES)).rejects.toThrow(`${file} already exists`);

    expect(await readdir(folder)).toEqual(['backup.jsonl']);
    expect(await readFile(file, 'utf8')).toBe('another');
  });

  test('names the partial file of a killed export and leaves it: another export may still be writing it', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'backup.jsonl');
    await writeFile(`${file}.partial`, 'half');

    await expect(exportTo(giving(ITEMS), file, NO_PIPES)).rejects.toThrow(`${file}.partial already exists`);

    expect(await readdir(folder)).toEqual(['backup.jsonl.partial']);
    expect(await readFile(`${file}.partial`, 'utf8')).toBe('half');
  });
});
