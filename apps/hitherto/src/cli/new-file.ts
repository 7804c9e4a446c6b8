import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Error codes of a file system that does not support or does not permit an operation. */
const UNSUPPORTED = ['EPERM', 'EACCES', 'ENOTSUP', 'ENOSYS', 'EINVAL', 'EISDIR'];

/**
 * Writes a temporary file next to the target and renames it at the end, so that a file with the final name is always complete.
 * Never overwrites anything: a person has to remove the file of a killed command. Only its owner can read the file.
 */
export async function writeNewFile(file: string, parts: AsyncIterable<string | Uint8Array>): Promise<void> {
  await assertNew(file);
  const partial = `${file}.partial`;
  const handle = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT')
      throw new Error(`There is no folder ${dirname(file)} for ${file}.`, { cause: error });
    if (codeOf(error) !== 'EEXIST') throw error;
    const advice = 'A command that was killed left it behind. Remove it, unless another command is writing it now.';
    throw new Error(`${partial} already exists. ${advice}`, { cause: error });
  });
  try {
    try {
      // `appendFile` continues after a short write, as on a disk that is nearly full; `write` would not.
      for await (const part of parts) await handle.appendFile(part);
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

/** Throws if the file exists. */
export async function assertNew(file: string): Promise<void> {
  if (await exists(file)) throw isThere(file);
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
  return new Error(`${file} already exists and is not overwritten.`, { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
