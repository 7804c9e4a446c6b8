import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Runnable } from './binaries.ts';
import { EmbeddedPostgresError, systemCode } from './errors.ts';
import { type FolderForServer, openForServer } from './paths.ts';
import type { ServerUser } from './server-user.ts';
import { INITDB_ARGUMENTS, POSTGRES_MAJOR } from './settings.ts';
import { supervise } from './supervisor.ts';

/** The prefix of the name of an unfinished database. */
const INIT_MARK = '.init-';

/**
 * Whether the folder holds a database.
 * @throws EmbeddedPostgresError `other_version` if another major version created it.
 */
export async function hasCluster(clusterDir: string): Promise<boolean> {
  let version: string;
  try {
    version = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
  if (version === POSTGRES_MAJOR) return true;
  throw new EmbeddedPostgresError(
    'other_version',
    `${clusterDir} was created by PostgreSQL ${version}. This version of Hitherto runs PostgreSQL ${POSTGRES_MAJOR}, which cannot ` +
      'read it. To move the data, run the command "backup FILE" with the version of Hitherto that created it; then, with this ' +
      'version and DATA_DIR set to an empty folder, the command "restore FILE".',
  );
}

/**
 * Takes the folder back from its group. PostgreSQL rejects one that others can write to, and Kubernetes makes all files of a volume
 * writable by a group (fsGroup).
 */
export async function closeToOthers(clusterDir: string): Promise<void> {
  const { mode } = await stat(clusterDir);
  if ((mode & 0o077) !== 0) await chmod(clusterDir, 0o700);
}

/** Removes unfinished databases that killed starts left in the data folder. Call it only while holding the lock. */
export async function removeHalfMade(clusterDir: string): Promise<void> {
  const dataDir = dirname(clusterDir);
  for (const entry of await readdir(dataDir)) {
    if (!entry.startsWith(`${basename(clusterDir)}${INIT_MARK}`)) continue;
    // An initdb whose Hitherto was killed may go on writing for a moment.
    await rm(join(dataDir, entry), { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Creates a database next to its folder and moves it there once it is complete and on disk. The folder is therefore either
 * complete or absent.
 * @param sync false skips fsync, for throwaway databases
 */
export async function createCluster(
  binaries: Runnable,
  clusterDir: string,
  user: ServerUser | undefined,
  sync: boolean,
): Promise<void> {
  const making = `${clusterDir}${INIT_MARK}${randomBytes(8).toString('hex')}`;
  await mkdir(making, { mode: 0o700 });
  try {
    if (user) await chown(making, user.uid, user.gid);
    await chmod(making, 0o700);
    await initialise(binaries, making, user, sync);
    await rename(making, clusterDir);
  } catch (error) {
    await rm(making, { recursive: true, force: true, maxRetries: 5 });
    if (error instanceof EmbeddedPostgresError || !['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? ''))
      throw error;
    throw new EmbeddedPostgresError(
      'failed',
      `${clusterDir} contains something that is not a database. Move it away, or set DATA_DIR to another folder.`,
      { cause: error },
    );
  }
  if (sync) await syncFolder(dirname(clusterDir));
}

async function initialise(
  binaries: Runnable,
  making: string,
  user: ServerUser | undefined,
  sync: boolean,
): Promise<void> {
  const folder: FolderForServer = await openForServer(making, user, 3);
  try {
    const initdb = supervise({
      command: [
        join(binaries.root, 'bin/initdb'),
        '-D',
        folder.path,
        ...INITDB_ARGUMENTS,
        ...(sync ? [] : ['--no-sync']),
      ],
      user,
      environment: binaries.environment,
      stdout: 'ignore',
      stderr: 'pipe',
      descriptors: folder.descriptors,
    });
    let complaint = '';
    initdb.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-4000);
    });
    const { status, reason } = await initdb.ended;
    if (status === 0) return;
    const hint = complaint.includes('could not look up effective user ID')
      ? ' PostgreSQL runs only as a user with a name: add one for this id to /etc/passwd, or run Hitherto as another user.'
      : '';
    throw new EmbeddedPostgresError(
      'failed',
      `The database could not be created in ${dirname(making)} (${reason}): ${complaint.trim()}.${hint}`,
    );
  } finally {
    await folder.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
