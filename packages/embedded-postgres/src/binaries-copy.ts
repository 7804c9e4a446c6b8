import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError, systemCode } from './errors.ts';
import { canEnter, type ServerUser } from './server-user.ts';

/** The prefix of every copy's name. */
const COPY_PREFIX = 'hitherto-postgres-';

/** Characters in a path with which initdb cannot run there: it passes its own path to a shell in double quotes. */
export const SHELL_MARKS = /["$`\\\n\r]/;

/** Part of the name of an unfinished copy. A killed process leaves such a copy behind. */
const MAKING = '.making-';
const LEFT_OVER_AFTER_MS = 3_600_000;

/** Folders for a copy that the server's user can enter, best first: the data folder, then temporary folders. */
export async function copyPlaces(dataDir: string, user: ServerUser | undefined): Promise<string[]> {
  const places: string[] = [];
  for (const place of new Set([dataDir, '/var/tmp', tmpdir(), '/tmp'])) {
    if (!SHELL_MARKS.test(place) && (await canEnter(user, place))) places.push(place);
  }
  return places;
}

/**
 * A complete copy of the binaries in `place`, created if missing, readable by everyone and writable only by this process's
 * user. `undefined` if `place` does not allow one, or if other users could have prepared it or could replace it.
 */
export async function copyBinaries(
  installed: { id: string; root: string },
  place: string,
  onProgress: (text: string) => void,
  link: (source: string, target: string) => Promise<void>,
): Promise<string | undefined> {
  if (!(await isSafePlace(place))) return undefined;
  const name = `${COPY_PREFIX}${installed.id}-${process.getuid?.()}`;
  const copy = join(place, name);
  const files = await listFiles(installed.root);
  if (await isComplete(copy, files)) return copy;

  onProgress('copying PostgreSQL to a folder that its user can reach');
  const making = join(place, `${name}${MAKING}${randomBytes(8).toString('hex')}`);
  try {
    await removeLeftOvers(place, name);
    await copyFiles(installed.root, making, files);
    await link(installed.root, making);
    await publish(making, copy, files);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    // Another process was first, or someone else has taken the name.
    if (await isComplete(copy, files)) return copy;
    if (['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(systemCode(error) ?? ''))
      return undefined;
    throw new EmbeddedPostgresError('failed', `PostgreSQL cannot be copied to ${place}: ${String(error)}`, {
      cause: error,
    });
  }
  return copy;
}

/** Moves a finished copy to its final place, unless another process has already put a complete one there. */
async function publish(making: string, copy: string, files: ListedFile[]): Promise<void> {
  try {
    await rename(making, copy);
  } catch (error) {
    // A cleaner of temporary folders may have removed parts of an earlier copy. A complete copy is never replaced.
    if ((await isComplete(copy, files)) || !(await isOurs(copy))) throw error;
    await rename(copy, `${making}-old`);
    await rename(making, copy);
    await rm(`${making}-old`, { recursive: true, force: true });
  }
}

interface ListedFile {
  path: string;
  size: number;
  executable: boolean;
}

/** The files below a folder, without links and without files that are needed only to build against PostgreSQL. */
async function listFiles(root: string): Promise<ListedFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const wanted = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.a'));
  return Promise.all(
    wanted.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const { size, mode } = await lstat(path);
      return { path: relative(root, path), size, executable: (mode & 0o100) !== 0 };
    }),
  );
}

async function copyFiles(source: string, target: string, files: ListedFile[]): Promise<void> {
  await mkdir(target);
  const folders = new Set(['']);
  for (const { path } of files)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  for (const folder of [...folders].sort()) {
    await mkdir(join(target, folder), { recursive: true });
    // The server's user must be able to read the copy, regardless of the umask.
    await chmod(join(target, folder), 0o755);
  }
  for (const { path, executable } of files) {
    await copyFile(join(source, path), join(target, path), constants.COPYFILE_FICLONE);
    await chmod(join(target, path), executable ? 0o755 : 0o644);
  }
}

async function isComplete(copy: string, files: ListedFile[]): Promise<boolean> {
  if (!(await isOurs(copy))) return false;
  const sizes = await Promise.all(
    files.map(({ path }) =>
      lstat(join(copy, path)).then(
        ({ size }) => size,
        () => -1,
      ),
    ),
  );
  return files.every(({ size }, index) => sizes[index] === size);
}

/** Whether this is a real folder that only this process's user could have created and filled. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

/** Whether only root and this process's user can replace our entries in this folder. */
async function isSafePlace(place: string): Promise<boolean> {
  const found = await lstat(place).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  const sticky = (found.mode & 0o1000) !== 0;
  const ownersOnly = (found.mode & 0o022) === 0;
  return (sticky || ownersOnly) && (found.uid === 0 || found.uid === process.getuid?.());
}

/** Removes copies in the data folder that earlier versions of Hitherto made. Call it only while holding the lock. */
export async function removeOldCopies(dataDir: string, used: string): Promise<void> {
  for (const entry of await readdir(dataDir)) {
    const copy = join(dataDir, entry);
    if (entry.startsWith(COPY_PREFIX) && copy !== used) await rm(copy, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function removeLeftOvers(place: string, name: string): Promise<void> {
  for (const entry of await readdir(place)) {
    if (!entry.startsWith(`${name}${MAKING}`)) continue;
    const folder = join(place, entry);
    const found = await lstat(folder).catch(() => undefined);
    if (found && found.uid === process.getuid?.() && Date.now() - found.mtimeMs > LEFT_OVER_AFTER_MS) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
