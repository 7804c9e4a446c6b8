import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedBinaries, runnableBinaries } from './binaries.ts';
import { removeOldCopies } from './binaries-copy.ts';
import { closeToOthers, createCluster, hasCluster, removeHalfMade } from './cluster.ts';
import { EmbeddedPostgresError, systemCode } from './errors.ts';
import type { Holder } from './holder.ts';
import { type FolderLock, lockIn, takeLock } from './lock.ts';
import { makeSocketFolder, openSocketFolder } from './paths.ts';
import { runServer } from './server.ts';
import { chooseServerUser, isRoot } from './server-user.ts';
import { SERVER } from './settings.ts';
import type { EmbeddedOptions, EmbeddedPostgres } from './types.ts';

const SERVICE_WAITS_MS = 10_000;
const COMMAND_WAITS_MS = 60_000;
const POLL_MS = 2_000;

/**
 * Takes the folder, starts PostgreSQL on it and keeps it running until `stop()`. Creates folder and database if they are
 * missing. Waits up to 10 s for a command that holds the folder.
 * @throws EmbeddedPostgresError if another service holds the folder (without waiting), or PostgreSQL cannot be started.
 */
export function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  return inFolder(options, true, async (dataDir) => {
    const deadline = performance.now() + SERVICE_WAITS_MS;
    for (;;) {
      const lock = await takeLock(dataDir, 'service');
      if ('release' in lock) return startUnderLock(options, dataDir, lock);
      const holder = lock;
      if (holder.role === 'service') throw inUse(dataDir, holder);
      await waitForCommand(options, dataDir, holder, deadline);
    }
  });
}

/**
 * For a command that runs next to the service: joins the server of the service that holds the folder, or starts a server
 * for the duration of the command. Waits up to 60 s for a service that is starting, and for another command to finish,
 * whose server ends with it.
 * @param creates whether the command may create folder and database
 * @throws EmbeddedPostgresError as `startEmbeddedPostgres`, but `unreachable` if the service's server does not come up, and
 * `no_installation` without writing, if there is no database and it may not create one.
 */
export function joinOrStartEmbeddedPostgres(options: EmbeddedOptions, creates = false): Promise<EmbeddedPostgres> {
  return inFolder(options, creates, async (dataDir) => {
    const deadline = performance.now() + COMMAND_WAITS_MS;
    for (;;) {
      const lock = await takeLock(dataDir, 'command');
      if ('release' in lock) {
        if (creates || (await hasCluster(clusterIn(dataDir)))) return startUnderLock(options, dataDir, lock);
        // Its first start was killed before the database was complete.
        await lock.release();
        throw noInstallation(dataDir);
      }
      const holder = lock;
      if (holder.role === 'command') {
        await waitForCommand(options, dataDir, holder, deadline);
        continue;
      }
      const joined = await joinService(dataDir, holder, deadline);
      if (joined !== undefined) return joined;
    }
  });
}

/**
 * For a command that runs as long as the service: joins its server, and waits for a service while there is none. Starting a
 * server of its own would keep the service from starting.
 * @throws EmbeddedPostgresError `unreachable` if the service's server does not come up, `no_installation` if there is none.
 */
export function joinEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  return inFolder(options, false, async (dataDir) => {
    for (let hasTold = false; ; hasTold = true) {
      const lock = await takeLock(dataDir, 'command');
      if ('release' in lock) await lock.release();
      else if (lock.role === 'command') lock.close();
      else {
        const joined = await joinService(dataDir, lock, performance.now() + COMMAND_WAITS_MS);
        if (joined !== undefined) return outlive(joined, dataDir);
      }
      if (!hasTold) options.onProgress?.(`waiting for a Hitherto that serves from ${dataDir}`);
      await sleep(POLL_MS);
    }
  });
}

/** `undefined` if the service ends before its server responds. */
async function joinService(dataDir: string, holder: Holder, deadline: number): Promise<EmbeddedPostgres | undefined> {
  const connection = await holder.waitForConnection(deadline - performance.now());
  const gone = connection === undefined && (await holder.waitUntilGone(0));
  holder.close();
  if (connection) return { connection, stop: async () => {} };
  if (gone) return undefined;
  throw new EmbeddedPostgresError(
    'unreachable',
    `The PostgreSQL of the Hitherto that runs on ${dataDir} (process ${holder.pid}) does not respond. See its log.`,
  );
}

/** Also connects to the servers that the service starts later. */
async function outlive({ connection }: EmbeddedPostgres, dataDir: string): Promise<EmbeddedPostgres> {
  const { path: host, close } = await openSocketFolder(clusterIn(dataDir), connection.host);
  return { connection: { ...connection, host }, stop: close };
}

async function waitForCommand(
  options: EmbeddedOptions,
  dataDir: string,
  holder: Holder,
  deadline: number,
): Promise<void> {
  options.onProgress?.(`waiting for another command of Hitherto (process ${holder.pid}) to finish`);
  const gone = await holder.waitUntilGone(deadline - performance.now());
  holder.close();
  if (!gone) throw inUse(dataDir, holder);
}

function inUse(dataDir: string, holder: Holder): EmbeddedPostgresError {
  holder.close();
  return new EmbeddedPostgresError(
    'in_use',
    `${dataDir} is in use by another Hitherto (process ${holder.pid}). Stop that one first, or set DATA_DIR to another folder.`,
  );
}

async function startUnderLock(options: EmbeddedOptions, dataDir: string, lock: FolderLock): Promise<EmbeddedPostgres> {
  try {
    const server = await startServer(options, dataDir, lock);
    return {
      connection: server.connection,
      async stop() {
        try {
          await server.stop();
        } finally {
          await lock.release();
        }
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function startServer(options: EmbeddedOptions, dataDir: string, lock: FolderLock): Promise<EmbeddedPostgres> {
  const { log, onProgress = () => {}, settings = {} } = options;
  const clusterDir = clusterIn(dataDir);
  await removeHalfMade(clusterDir);
  const exists = await hasCluster(clusterDir);
  const user = await chooseServerUser(clusterDir);
  const binaries = await runnableBinaries(await installedBinaries(), dataDir, user, onProgress);
  await removeOldCopies(dataDir, binaries.root);
  if (exists) {
    await closeToOthers(clusterDir);
  } else {
    onProgress('preparing the database (first start, about a second)');
    await createCluster(binaries, clusterDir, user, settings.fsync !== 'off');
  }

  const socketFolder = await makeSocketFolder(clusterDir, user);
  const connection = { host: socketFolder.path, ...SERVER };
  try {
    const server = await runServer({
      binaries,
      clusterDir,
      socketFolder: socketFolder.path,
      logFile: join(dataDir, 'postgres.log'),
      connection,
      user,
      settings,
      log,
      onProgress,
      onAvailable: (available) => lock.announce(available ? connection : undefined),
    });
    return { connection, stop: () => server.stop().then(socketFolder.remove) };
  } catch (error) {
    await socketFolder.remove();
    throw error;
  }
}

function clusterIn(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/** Whether there is a database, or a service that may be creating it. */
async function isInstallation(dataDir: string): Promise<boolean> {
  return (await hasCluster(clusterIn(dataDir))) || (await isFolder(lockIn(dataDir)));
}

function noInstallation(dataDir: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'no_installation',
    `There is no installation in ${resolve(dataDir)}. Set DATA_DIR as for the service, or start the service first.`,
  );
}

/** Finds or creates the folder, and explains errors of the file system to the user. */
async function inFolder(
  options: EmbeddedOptions,
  creates: boolean,
  start: (dataDir: string) => Promise<EmbeddedPostgres>,
): Promise<EmbeddedPostgres> {
  try {
    // Where a descriptor cannot be passed on, the server's user must be able to pass through this folder.
    if (creates) await makeFolder(options.dataDir, isRoot() && process.platform !== 'linux' ? 0o711 : 0o700);
    else if (!(await isInstallation(options.dataDir))) throw noInstallation(options.dataDir);
    return await start(await realpath(options.dataDir));
  } catch (error) {
    if (error instanceof EmbeddedPostgresError || systemCode(error) === undefined) throw error;
    throw new EmbeddedPostgresError(
      'failed',
      `The folder ${options.dataDir} (DATA_DIR) cannot be used: ${String(error)}. Run Hitherto as the user who owns it, or set DATA_DIR ` +
        'to a folder that you own.',
      { cause: error },
    );
  }
}

/** Creates a folder and those above it. Node's recursive `mkdir` never ends on a file system that accepts no folders, such as /proc. */
async function makeFolder(folder: string, mode: number): Promise<void> {
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeFolder(above, mode);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    // Another process may have created it.
    if (!(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
