import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { TransferCounts } from '@hitherto/domain';
import type { Store } from './store.ts';
import { readLines, writeLines } from './transfer-lines.ts';

/** Writes beside the file and renames at the end, so that a file of that name is always whole. */
export async function exportTo(store: Store, file: string): Promise<void> {
  const reserved = await open(file, 'wx', 0o600);
  const partial = `${file}.partial`;
  try {
    const handle = await open(partial, 'w', 0o600);
    try {
      for await (const line of writeLines(store.transfer.exportAll())) await handle.write(line);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await Promise.all([rm(partial, { force: true }), rm(file, { force: true })]);
    throw error;
  } finally {
    await reserved.close();
  }
}

/** Reads a file into an empty database: all of it or nothing. */
export function importFrom(store: Store, file: string): Promise<TransferCounts> {
  return store.transfer.importAll(readLines(linesOf(file)));
}

/** The lines of a file, read bit by bit. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
