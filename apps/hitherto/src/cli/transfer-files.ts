import { createReadStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ItemRefused, type TransferCounts } from '@hitherto/domain';
import type { Database } from '../database.ts';
import { ImportError, lineOf, readLines, writeLines } from './transfer-lines.ts';

/** Error codes of a file system that does not support or does not permit an operation. */
const UNSUPPORTED = ['EPERM', 'EACCES', 'ENOTSUP', 'ENOSYS', 'EINVAL', 'EISDIR'];

/**
 * Writes a temporary file beside the target and renames it at the end, so that a file with the final name is always complete.
 * Never overwrites anything: a person has to remove what a killed export left behind.
 */
export async function exportTo({ transfer }: Pick<Database, 'transfer'>, file: string): Promise<void> {
  if (await exists(file)) throw isThere(file);
  const partial = `${file}.partial`;
  const handle = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    const advice = `if no other export is writing it, remove ${partial}, which a killed export left behind, and try again.`;
    throw new Error(`${partial} exists already; ${advice}`, { cause: error });
  });
  try {
    try {
      // `appendFile` continues after a short write, as on a disk that is nearly full; `write` would not.
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

/** Unlike renaming, linking never replaces a file. */
async function giveName(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw isThere(file, error);
    if (!UNSUPPORTED.includes(codeOf(error))) throw error;
    // Without links, as on a USB stick, there is a race between checking and renaming.
    if (await exists(file)) throw isThere(file, error);
    await rename(partial, file);
  }
}

/** Flushes the folder, if the file system supports it: otherwise the name may be lost in a power failure. */
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
  return new Error(`${file} exists already; an export never overwrites a file.`, { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Imports a file into an empty database, all or nothing. */
export async function importFrom({ transfer }: Pick<Database, 'transfer'>, file: string): Promise<TransferCounts> {
  try {
    return await transfer.importAll(readLines(linesOf(file)));
  } catch (error) {
    if (!(error instanceof ItemRefused)) throw error;
    throw new ImportError(`Line ${lineOf(error.position)}: ${error.reason}.`, { cause: error });
  }
}

/** The lines of a file, as a stream. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
