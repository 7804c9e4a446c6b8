import { open } from 'node:fs/promises';
import { EmbeddedPostgresError } from './errors.ts';
import { canEnter, type ServerUser } from './server-user.ts';

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
