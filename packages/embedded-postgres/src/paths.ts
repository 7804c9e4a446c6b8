import { chown, lstat, mkdtemp, open, readlink, rm, symlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { EmbeddedPostgresError } from './errors.ts';
import { canEnter, isRoot, type ServerUser } from './server-user.ts';
import { MAX_SOCKET_PATH_BYTES, SERVER } from './settings.ts';

/** The prefix of the name of a temporary folder for the server's socket. */
const SOCKET_FOLDER_PREFIX = '/tmp/hitherto-socket-';

/** A folder, in the form in which PostgreSQL's programs receive it. */
export interface FolderForServer {
  readonly path: string;
  /** Descriptors that the program must inherit for `path` to work: none or one. */
  readonly descriptors: readonly number[];
  close(): Promise<void>;
}

/**
 * Opens a folder for a program that runs as `user`. Another user may not be allowed to follow the folder's path (below a
 * /root that only root may enter), so on Linux the program inherits the folder as descriptor `number`.
 * @throws EmbeddedPostgresError `failed` on other systems, if the user cannot enter the folder.
 */
export async function openForServer(
  folder: string,
  user: ServerUser | undefined,
  number: number,
  platform: string = process.platform,
): Promise<FolderForServer> {
  if (user && platform === 'linux') {
    const handle = await open(folder, 'r');
    return { path: `/proc/self/fd/${number}`, descriptors: [handle.fd], close: () => handle.close() };
  }
  if (user && !(await canEnter(user, folder))) {
    throw new EmbeddedPostgresError(
      'failed',
      `PostgreSQL does not run as root. It runs as the user with id ${user.uid}, who cannot enter ${folder}. Set DATA_DIR to ` +
        'a folder that every user can enter, such as /usr/local/var/hitherto, or run Hitherto as an ordinary user.',
    );
  }
  return { path: folder, descriptors: [], close: async () => {} };
}

/** A path short enough for a Unix socket. */
export interface SocketAddress {
  /** The path to listen on or connect to, valid until `close`. */
  readonly path: string;
  /** The target of a symbolic link in the folder that leads others to the socket. */
  readonly link: string;
  close(): Promise<void>;
}

/**
 * The address of the socket `name` in `folder`, or of an absolute `name`. On Linux a descriptor of the folder shortens a path
 * that is too long; elsewhere the socket goes into a private temporary folder.
 */
export async function openSocketAddress(
  folder: string,
  name: string,
  use: 'listen' | 'connect',
): Promise<SocketAddress> {
  const path = isAbsolute(name) ? name : join(folder, name);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES || isAbsolute(name))
    return { path, link: name, close: async () => {} };
  if (process.platform === 'linux') {
    const handle = await open(folder, 'r');
    return { path: `/proc/self/fd/${handle.fd}/${name}`, link: name, close: () => handle.close() };
  }
  if (use === 'connect') return { path, link: name, close: async () => {} };
  const short = join(await mkdtemp('/tmp/hitherto-'), name);
  return { path: short, link: short, close: () => rm(dirname(short), { recursive: true, force: true }) };
}

/** The folder of the server's socket. Its mode is 0700, so that only the server's user, and root, can connect. */
interface SocketFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * The database's own folder, or a private temporary folder if a socket's path would be too long. A link in the data folder
 * leads to the temporary folder, so that the next start can remove it if this process is killed.
 */
export async function makeSocketFolder(clusterDir: string, user: ServerUser | undefined): Promise<SocketFolder> {
  const record = recordOf(clusterDir);
  await removeRecorded(record, user);
  const socket = join(clusterDir, `.s.PGSQL.${SERVER.port}`);
  if (Buffer.byteLength(socket) <= MAX_SOCKET_PATH_BYTES) return { path: clusterDir, remove: async () => {} };

  const folder = await mkdtemp(SOCKET_FOLDER_PREFIX);
  if (user) await chown(folder, user.uid, user.gid);
  await symlink(folder, record);
  return { path: folder, remove: () => removeRecorded(record, user) };
}

/**
 * The folder of the server's socket, for a process that outlives the server. A temporary folder has another name after each
 * start; on Linux, the link in the data folder leads to the latest.
 *
 * @param path the folder of the server that runs now
 */
export async function openSocketFolder(
  clusterDir: string,
  path: string,
): Promise<{ readonly path: string; close(): Promise<void> }> {
  if (path === clusterDir || process.platform !== 'linux') return { path, close: async () => {} };
  const handle = await open(dirname(clusterDir), 'r');
  return { path: `/proc/self/fd/${handle.fd}/${basename(recordOf(clusterDir))}`, close: () => handle.close() };
}

/** The link to the temporary folder. */
function recordOf(clusterDir: string): string {
  return `${clusterDir}.socket`;
}

async function removeRecorded(record: string, user: ServerUser | undefined): Promise<void> {
  const folder = await readlink(record).catch(() => undefined);
  if (folder === undefined) return;
  const found = await lstat(folder).catch(() => undefined);
  const owner = isRoot() ? user?.uid : process.getuid?.();
  if (found?.isDirectory() && folder.startsWith(SOCKET_FOLDER_PREFIX) && found.uid === owner) {
    await rm(folder, { recursive: true, force: true });
  }
  await rm(record, { force: true });
}
