import { chown, lstat, mkdtemp, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isRoot, type ServerUser } from './server-user.ts';
import { MAX_SOCKET_PATH_BYTES, SERVER } from './settings.ts';

/** The folder of the server's socket. Its mode is 0700, so that only the server's user, and root, can connect. */
export interface SocketFolder {
  readonly path: string;
  remove(): Promise<void>;
}

const PREFIX = '/tmp/hitherto-socket-';

/**
 * The database's own folder, or a private temporary folder if a socket's path would be too long. A link in the data folder
 * leads to the temporary folder, so that the next start can remove it if this process is killed.
 */
export async function makeSocketFolder(clusterDir: string, user: ServerUser | undefined): Promise<SocketFolder> {
  const record = `${clusterDir}.socket`;
  await removeRecorded(record, user);
  const socket = join(clusterDir, `.s.PGSQL.${SERVER.port}`);
  if (Buffer.byteLength(socket) <= MAX_SOCKET_PATH_BYTES) return { path: clusterDir, remove: async () => {} };

  const folder = await mkdtemp(PREFIX);
  if (user) await chown(folder, user.uid, user.gid);
  await symlink(folder, record);
  return { path: folder, remove: () => removeRecorded(record, user) };
}

async function removeRecorded(record: string, user: ServerUser | undefined): Promise<void> {
  const folder = await readlink(record).catch(() => undefined);
  if (folder === undefined) return;
  const found = await lstat(folder).catch(() => undefined);
  const owner = isRoot() ? user?.uid : process.getuid?.();
  if (found?.isDirectory() && folder.startsWith(PREFIX) && found.uid === owner) {
    await rm(folder, { recursive: true, force: true });
  }
  await rm(record, { force: true });
}
