import { createReadStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TransferCounts } from '@hitherto/domain';
import type { Database } from '../database.ts';
import { readLines, writeLines } from './transfer-lines.ts';

/** What a file system says that cannot do what is asked, or lets nobody do it. */
const UNSUPPORTED = ['EPERM', 'EACCES', 'ENOTSUP', 'ENOSYS', 'EINVAL', 'EISDIR'];

/**
 * Writes beside the file and names it at the end, so that a file of that name is always whole. Nothing that is there is
 * written over: what an export that was killed left beside the file is a person's to remove.
 */
export async function exportTo({ transfer }: Pick<Database, 'transfer'>, file: string): Promise<void> {
  if (await exists(file)) throw isThere(file);
  const partial = `${file}.partial`;
  const handle = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    const advice = `if no other export is writing it, one was killed: remove ${partial} and try again.`;
    throw new Error(`${partial} is there already; ${advice}`, { cause: error });
  });
  try {
    try {
      // `appendFile` goes on after a short write, as on a disk that is nearly full; `write` would not.
      for await (const line of writeLines(transfer.exportAll())) await handle.appendFile(line);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await giveName(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
  await syncFolder(dirname(file));
}

/** Unlike a renaming, a link takes the place of nothing. */
async function giveName(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw isThere(file, error);
    if (!UNSUPPORTED.includes(codeOf(error))) throw error;
    // Where there are no links, as on a USB stick, the moment between a look and the renaming is left to chance.
    if (await exists(file)) throw isThere(file, error);
    await rename(partial, file);
  }
}

/** Without it the file may be without its name after a loss of power, where the file system can be asked for it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!UNSUPPORTED.includes(codeOf(error))) throw error;
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function isThere(file: string, cause?: unknown): Error {
  return new Error(`${file} is there already; an export only ever makes a new file.`, { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Reads a file into an empty database: all of it or nothing. */
export function importFrom({ transfer }: Pick<Database, 'transfer'>, file: string): Promise<TransferCounts> {
  return transfer.importAll(readLines(linesOf(file)));
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
